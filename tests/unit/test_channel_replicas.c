/* SPDX-License-Identifier: MIT
 *
 * A channel to a server with replicas: how long it waits until they have confirmed.
 */
#include "check.h"
#include "dialling.h"

static rl_channel channel;

static void clean_up(void)
{
	rl_channel_close(&channel);
	hang_up();
}

static void begin(void)
{
	dial_replicated();
	channel = (rl_channel){.conn = conn};
	conn = NULL;
}

static void send_set(void)
{
	rl_request request = {
		.verb = RL_VERB_SET, .key = bytes_of("k"), .token = bytes_of("mine"), .ttl_ms = 30000};
	CHECK(rl_conn_send(channel.conn, &request, 1) != 0);
	rl_channel_flush(&channel, fake_clock);
}

static rl_tick tick_now(void)
{
	fake_read(channel.conn->link);
	return (rl_tick){.now = fake_clock, .seen = fake_clock};
}

static rl_conn_event_type next_event(void)
{
	rl_channel_next(&channel, &event);
	return event.type;
}

/* Servers end WAIT late, so the channel has a clock of its own. */
static void the_channel_waits_no_longer_than_wait_allows(void)
{
	rl_wait wait = {.until = RL_NEVER};
	begin();
	fake_says(0, "+OK");
	fake_acts(0, FAKE_SAY, ":0", 190 * MS);
	send_set();
	CHECK_COUNT("WAIT", 1);
	rl_tick tick = tick_now();
	CHECK_INT(next_event(), RL_CONN_NONE);
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	CHECK_INT(channel.confirm_end, fake_clock + 100 * MS);
	rl_channel_add_to_wait(&channel, &wait, RL_NEVER);
	CHECK_INT(wait.until, fake_clock + 100 * MS);
	fake_clock += 100 * MS - 1;
	tick = tick_now();
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	CHECK_INT(next_event(), RL_CONN_NONE);
	fake_clock += 1;
	/* An answer that has arrived by now must have been read. */
	tick.now = fake_clock;
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	tick = tick_now();
	CHECK(rl_channel_judge_replicas(&channel, &tick));
	CHECK_INT(channel.confirm_end, 0);
	CHECK_INT(next_event(), RL_CONN_REPLY);
	CHECK_INT(event.reply.type, RL_REPLY_UNCONFIRMED);
	CHECK(
		rl_bytes_equal(event.reply.text, bytes_of("fewer than 2 replicas confirmed within 0.1 s")));
	CHECK_INT(next_event(), RL_CONN_NONE);
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	/* The late answer is discarded. */
	CHECK_INT(channel.conn->pending_count, 1);
	fake_clock += 90 * MS;
	tick = tick_now();
	CHECK_INT(next_event(), RL_CONN_NONE);
	CHECK_INT(channel.conn->pending_count, 0);
}

static void a_verdict_in_time_ends_the_wait_for_replicas(void)
{
	begin();
	fake_says(0, "+OK");
	fake_acts(0, FAKE_SAY, ":2", 99 * MS);
	send_set();
	rl_tick tick = tick_now();
	CHECK_INT(next_event(), RL_CONN_NONE);
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	fake_clock += 150 * MS; /* this process stood still */
	tick = tick_now();
	CHECK_INT(next_event(), RL_CONN_REPLY);
	CHECK_INT(event.reply.type, RL_REPLY_STATUS);
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	CHECK_INT(channel.confirm_end, 0);
}

static void a_slow_server_is_not_a_slow_replica(void)
{
	begin();
	fake_acts(0, FAKE_SAY, "+OK", 300 * MS);
	fake_acts(0, FAKE_SAY, ":2", 10 * MS);
	send_set();
	fake_clock += 299 * MS;
	rl_tick tick = tick_now();
	CHECK_INT(next_event(), RL_CONN_NONE);
	CHECK(!rl_channel_judge_replicas(&channel, &tick));
	CHECK_INT(channel.confirm_end, 0); /* the server has not answered */
}

static const check_test tests[] = {
	TEST(the_channel_waits_no_longer_than_wait_allows),
	TEST(a_verdict_in_time_ends_the_wait_for_replicas),
	TEST(a_slow_server_is_not_a_slow_replica),
};

CHECK_MAIN(tests, clean_up)
