/* SPDX-License-Identifier: MIT
 *
 * What a hostile server hears and says.
 */
#include "hostile_server.h"

#include "fuzz.h"
#include "hostile_input.h"
#include "hostile_net.h"

#include <inttypes.h>
#include <stdarg.h>

#define TOKEN "rl1.AQ8dKzlHVWNxf42bqbfF0-Hv@web-3:12"
#define HUGE_MAX ((size_t) 1 << 18) /* bytes of one answer that is made up */

static void append(char **data, size_t *len, size_t *room, const char *more, size_t more_len)
{
	if (*len + more_len > *room) {
		*room = 2 * (*len + more_len) + 64;
		*data = realloc(*data, *room);
		FUZZ_PROMISE(*data != NULL);
	}
	if (more_len > 0) {
		memcpy(*data + *len, more, more_len);
		*len += more_len;
	}
}

static void say_bytes(hostile_server_end *end, const char *data, size_t len)
{
	append(&end->sent, &end->sent_len, &end->sent_room, data, len);
	hostile_carried += len;
}

__attribute__((format(printf, 2, 3))) static void say(
	hostile_server_end *end, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	FUZZ_PROMISE(len >= 0 && (size_t) len < sizeof text);
	say_bytes(end, text, (size_t) len);
}

static void say_text(hostile_server_end *end, rl_bytes text)
{
	say(end, "$%zu\r\n", text.len);
	say_bytes(end, text.data, text.len);
	say(end, "\r\n");
}

/* ---- hearing ---- */

static bool is_word(rl_bytes text, const char *word)
{
	return rl_bytes_equal(text, rl_bytes_of(word, strlen(word)));
}

/* True = the command is a script of ours. */
static bool find_script(hostile_command *command)
{
	bool is_text = is_word(command->argv[0], "EVAL");
	if (command->argc < 3 || (!is_text && !is_word(command->argv[0], "EVALSHA"))) {
		return false;
	}
	for (int id = 0; id < RL_SCRIPTS; id++) {
		const rl_script *script = rl_script_get((rl_script_id) id);
		rl_bytes name =
			is_text ? rl_bytes_of(script->text, script->text_len) : rl_bytes_of(script->sha1, 40);
		if (rl_bytes_equal(command->argv[1], name)) {
			int64_t keys = 0;
			FUZZ_PROMISE(rl_bytes_read_number(command->argv[2], 100, &keys));
			command->script = (rl_script_id) id;
			command->first_arg = 3 + (unsigned) keys;
			return true;
		}
	}
	return false;
}

static hostile_verb verb_of(hostile_command *command)
{
	static const struct {
		const char *word;
		hostile_verb verb;
	} words[] = {{"AUTH", HOSTILE_AUTH}, {"SELECT", HOSTILE_AUTH}, {"ROLE", HOSTILE_ROLE},
		{"SET", HOSTILE_SET}, {"BLPOP", HOSTILE_BLPOP}, {"EXISTS", HOSTILE_EXISTS},
		{"GET", HOSTILE_GET}, {"TYPE", HOSTILE_TYPE}, {"PTTL", HOSTILE_PTTL},
		{"WAIT", HOSTILE_WAIT}, {"CLUSTER", HOSTILE_MAP}, {"CLIENT", HOSTILE_OTHER},
		{"ASKING", HOSTILE_OTHER}};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (is_word(command->argv[0], words[i].word)) {
			return words[i].verb;
		}
	}
	if (is_word(command->argv[0], "SENTINEL")) {
		return is_word(command->argv[1], "MASTER") ? HOSTILE_PRIMARY : HOSTILE_NAMES;
	}
	FUZZ_PROMISE(find_script(command));
	return HOSTILE_SCRIPT;
}

/* Reads "<mark><number>\r\n". False = it has not arrived whole. */
static bool read_count(const hostile_server_end *end, size_t *at, char mark, size_t *count)
{
	const char *from = end->heard + *at;
	const char *stop = *at < end->heard_len ? memchr(from, '\n', end->heard_len - *at) : NULL;
	if (stop == NULL) {
		return false;
	}
	FUZZ_PROMISE(*from == mark && stop - from >= 3 && stop[-1] == '\r');
	int64_t number = 0;
	FUZZ_PROMISE(
		rl_bytes_read_number(rl_bytes_of(from + 1, (size_t) (stop - from) - 2), 1 << 20, &number));
	*count = (size_t) number;
	*at += (size_t) (stop - from) + 1;
	return true;
}

/* The length of the first command; 0 = it has not arrived whole. */
static size_t read_command(const hostile_server_end *end, hostile_command *command)
{
	size_t at = 0;
	size_t argc = 0;
	size_t places[HOSTILE_ARGS];
	if (!read_count(end, &at, '*', &argc)) {
		return 0;
	}
	*command = (hostile_command){.argc = (unsigned) argc, .sent_at = end->heard_at};
	for (size_t i = 0; i < argc; i++) {
		size_t len = 0;
		if (!read_count(end, &at, '$', &len) || at + len + 2 > end->heard_len) {
			return 0;
		}
		if (i < HOSTILE_ARGS) {
			places[i] = at;
			command->argv[i].len = len;
		}
		at += len + 2;
	}
	if (argc == 0) {
		return at;
	}
	command->text = malloc(at);
	FUZZ_PROMISE(command->text != NULL);
	memcpy(command->text, end->heard, at);
	for (size_t i = 0; i < argc && i < HOSTILE_ARGS; i++) {
		command->argv[i].data = command->text + places[i];
	}
	command->argc = argc < HOSTILE_ARGS ? (unsigned) argc : HOSTILE_ARGS;
	command->verb = verb_of(command);
	return at;
}

/* A server skips a command without arguments. */
static void add_command(hostile_server_end *end, const hostile_command *command)
{
	if (command->argc == 0) {
		return;
	}
	if (end->command_count == end->command_room) {
		end->command_room = 2 * end->command_room + 8;
		end->commands = realloc(end->commands, end->command_room * sizeof *end->commands);
		FUZZ_PROMISE(end->commands != NULL);
	}
	end->commands[end->command_count++] = *command;
}

void hostile_server_hear(hostile_server_end *end, const char *data, size_t len)
{
	end->heard_at = end->heard_len == 0 ? hostile_clock : end->heard_at;
	append(&end->heard, &end->heard_len, &end->heard_room, data, len);
	hostile_command command;
	size_t used;
	while (end->heard_len > 0 && (used = read_command(end, &command)) > 0) {
		add_command(end, &command);
		memmove(end->heard, end->heard + used, end->heard_len - used);
		end->heard_len -= used;
		end->heard_at = hostile_clock;
	}
}

void hostile_server_drop_command(hostile_server_end *end)
{
	free(end->commands[0].text);
	memmove(end->commands, end->commands + 1, --end->command_count * sizeof *end->commands);
	end->answered -= end->answered > 0;
}

void hostile_server_close(hostile_server_end *end)
{
	while (end->command_count > 0) {
		hostile_server_drop_command(end);
	}
	free(end->commands);
	free(end->sent);
	free(end->heard);
	*end = (hostile_server_end){.commands = NULL};
}

/* ---- honest answers ---- */

static int64_t time_us(void)
{
	return INT64_C(1700000000000000) + hostile_clock / 1000;
}

static void say_script(hostile_server_end *end, const hostile_command *command, bool is_yes)
{
	bool has_permits = command->first_arg > 6;
	switch (command->script) {
		case RL_SCRIPT_TRY:
			if (is_yes) {
				say(end, "*%d\r\n:1\r\n:%" PRId64 "\r\n%s", has_permits ? 3 : 2, time_us(),
					has_permits ? ":2\r\n" : "");
			} else {
				say(end, "*5\r\n:0\r\n:%" PRId64 "\r\n:900\r\n:3\r\n:1\r\n", time_us());
			}
			break;
		case RL_SCRIPT_PROBE:
			say(end,
				is_yes ? "*5\r\n:%" PRId64 "\r\n:-2\r\n:0\r\n:0\r\n:0\r\n"
					   : "*5\r\n:%" PRId64 "\r\n:900\r\n$5\r\nweb-1\r\n:0\r\n:2\r\n",
				time_us());
			break;
		case RL_SCRIPT_INSPECT:
			say(end,
				is_yes ? "*5\r\n:29999\r\n:3\r\n:1\r\n$37\r\n" TOKEN "\r\n$11\r\nweb-1 web-2\r\n"
					   : "*5\r\n:-2\r\n:0\r\n:0\r\n$0\r\n\r\n$0\r\n\r\n");
			break;
		case RL_SCRIPT_FENCE:
			say(end, is_yes ? "$16\r\n1700000000000001\r\n" : ":0\r\n");
			break;
		case RL_SCRIPT_SCAN:
			say(end, is_yes ? "$10\r\n7 1:k3:k#2\r\n" : "$2\r\n0 \r\n");
			break;
		case RL_SCRIPT_RELEASE:
		case RL_SCRIPT_EXTEND:
		case RL_SCRIPT_RENEW:
		case RL_SCRIPT_FORCE:
		case RL_SCRIPT_SWAP:
		case RL_SCRIPT_FREE_ANY:
			say(end, is_yes ? ":1\r\n" : ":0\r\n");
			break;
	}
}

static void say_map(hostile_server_end *end, bool is_yes)
{
	say(end,
		is_yes ? "*2\r\n*3\r\n:0\r\n:8191\r\n*3\r\n$8\r\n10.0.0.2\r\n:7001\r\n$2\r\nid\r\n"
				 "*4\r\n:8192\r\n:16383\r\n*3\r\n$8\r\n10.0.0.1\r\n:7000\r\n$2\r\nix\r\n"
				 "*3\r\n$8\r\n10.0.0.3\r\n:7002\r\n$2\r\niy\r\n"
			   : "*0\r\n");
}

static void say_primary(hostile_server_end *end, bool has_age, bool is_yes)
{
	if (!is_yes) {
		say(end, has_age ? "-ERR No such master with that name\r\n" : "*-1\r\n");
	} else if (has_age) {
		say(end,
			"*8\r\n$2\r\nip\r\n$8\r\n10.0.0.1\r\n$4\r\nport\r\n$4\r\n6379\r\n"
			"$13\r\nrole-reported\r\n$6\r\nmaster\r\n$18\r\nrole-reported-time\r\n"
			"$5\r\n99999\r\n");
	} else {
		say(end, "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n");
	}
}

/* What an honest server would answer, if the answer is yes, or no. */
static void answer(hostile_server_end *end, const hostile_command *command, bool is_yes)
{
	switch (command->verb) {
		case HOSTILE_OTHER:
			say(end, "+OK\r\n");
			break;
		case HOSTILE_AUTH:
			if (is_yes) {
				say(end, "+OK\r\n");
			} else { /* the password, or the number of the database, comes back */
				say(end, "-WRONGPASS invalid %.*s\r\n", (int) command->argv[command->argc - 1].len,
					command->argv[command->argc - 1].data);
			}
			break;
		case HOSTILE_ROLE:
			say(end,
				is_yes ? "*3\r\n$6\r\nmaster\r\n:12\r\n*0\r\n"
					   : "*5\r\n$5\r\nslave\r\n$1\r\na\r\n:1\r\n$9\r\nconnected\r\n:1\r\n");
			break;
		case HOSTILE_SET:
			say(end, is_yes ? "+OK\r\n" : "$-1\r\n");
			break;
		case HOSTILE_BLPOP:
			if (is_yes) {
				say(end, "*2\r\n");
				say_text(end, command->argv[1]);
				say(end, "$1\r\n1\r\n");
			} else {
				say(end, "*-1\r\n");
			}
			break;
		case HOSTILE_EXISTS:
			say(end, is_yes ? ":1\r\n" : ":0\r\n");
			break;
		case HOSTILE_GET:
			say(end, is_yes ? "$37\r\n" TOKEN "\r\n" : "$-1\r\n");
			break;
		case HOSTILE_TYPE:
			say(end, is_yes ? "+zset\r\n" : "+none\r\n");
			break;
		case HOSTILE_PTTL:
			say(end, is_yes ? ":29999\r\n" : ":-2\r\n");
			break;
		case HOSTILE_WAIT:
			say(end, is_yes ? ":3\r\n" : ":0\r\n");
			break;
		case HOSTILE_MAP:
			say_map(end, is_yes);
			break;
		case HOSTILE_NAMES:
		case HOSTILE_PRIMARY:
			say_primary(end, command->verb == HOSTILE_PRIMARY, is_yes);
			break;
		case HOSTILE_SCRIPT:
			say_script(end, command, is_yes);
			break;
	}
}

/* False = all commands are answered. */
static bool answer_next(hostile_server_end *end, bool is_yes)
{
	if (end->answered >= end->command_count) {
		return false;
	}
	answer(end, &end->commands[end->answered++], is_yes);
	return true;
}

/* ---- other answers ---- */

/* Texts that mean something to core, wherever they come. */
static const char *const texts[] = {
	"+OK\r\n",
	"$-1\r\n",
	"*-1\r\n",
	":0\r\n",
	":1\r\n",
	":2\r\n",
	":-1\r\n",
	":9223372036854775807\r\n",
	":-9223372036854775808\r\n",
	"-NOSCRIPT No matching script. Please use EVAL.\r\n",
	"-NOAUTH Authentication required.\r\n",
	"-READONLY You can't write against a read only replica.\r\n",
	"-LOADING Redis is loading the dataset in memory\r\n",
	"-MASTERDOWN Link with MASTER is down\r\n",
	"-NOREPLICAS Not enough good replicas to write.\r\n",
	"-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
	"-CLUSTERDOWN The cluster is down\r\n",
	"-CROSSSLOT Keys in request don't hash to the same slot\r\n",
	"-MOVED 7629 10.0.0.2:7001\r\n",
	"-MOVED 16383 10.0.0.3:22\r\n",
	"-MOVED 1 node-2.example:7001\r\n",
	"-ASK 7629 10.0.0.3:7002\r\n",
	"-ASK 1 :7003\r\n",
	"-NOPERM this user has no permissions to run the 'blpop' command\r\n",
	"-NOPERM this user has no permissions to access one of the keys used as arguments\r\n",
	"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
	"-ERR Error running script (call to f_x): @user_script:1: WRONGTYPE\r\n",
	"-ERR unknown command 'X', with args beginning with: 'Y' \r\n",
	"-UNBLOCKED force unblock from blocking operation\r\n",
	"-EXECABORT Transaction discarded\r\n",
	"-BUSY Redis is busy running a script\r\n",
	"-MISCONF Redis is configured to save RDB snapshots\r\n",
	"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
	"-ERR max number of clients reached\r\n",
	"-DENIED Redis is running in protected mode\r\n",
	"-ERR WAIT cannot be used with replica instances.\r\n",
	"-IDONTKNOW No such master\r\n",
	"*2\r\n$8\r\n10.0.0.2\r\n$4\r\n6380\r\n",
	"*2\r\n$7\r\nprimary\r\n$1\r\n0\r\n",
	"*6\r\n$2\r\nip\r\n$8\r\n10.0.0.2\r\n$4\r\nport\r\n$4\r\n6380\r\n$18\r\nrole-reported-time\r\n"
	"$20\r\n99999999999999999999\r\n",
	"*1\r\n$6\r\nmaster\r\n",
	"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\n?\r\n:7000\r\n",
	"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$-1\r\n:7001\r\n",
	"*1\r\n*3\r\n:7629\r\n:7629\r\n*4\r\n$2\r\nh9\r\n:7009\r\n$1\r\ni\r\n*2\r\n$8\r\nhostname\r\n"
	"$14\r\nnode-9.example\r\n",
	"*2\r\n:1\r\n:1700000000000000\r\n",
	"*3\r\n:1\r\n:1700000000000000\r\n:64\r\n",
	"*5\r\n:0\r\n:0\r\n:-1\r\n:5\r\n:0\r\n",
	"$8\r\nrl1.done\r\n",
	"$0\r\n\r\n",
	"\x15\x03\x03\x00\x02\x02\x28",
	"HTTP/1.1 400 Bad Request\r\n\r\n",
};
#define TEXTS (sizeof texts / sizeof texts[0])

/* An array of integers, as scripts answer. */
static void say_numbers(hostile_server_end *end)
{
	static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "-1", "-2", "500", "30000",
		"1700001000000000", "1700001000500000", "9223372036854775807", "-9223372036854775808",
		"1000", "64"};
	unsigned count = input_take() % 6;
	say(end, "*%u\r\n", count);
	for (unsigned i = 0; i < count; i++) {
		say(end, ":%s\r\n", numbers[input_take() % 16]);
	}
}

/* An answer that is long, has many elements, is nested deeply, or only begins like that. */
static void say_huge(hostile_server_end *end)
{
	unsigned form = input_take();
	size_t count = (size_t) 1 << input_take() % 19;
	static const char *const units[] = {
		"*1\r\n", ":1\r\n", "$-1\r\n", "*0\r\n", "a", "*3\r\n:1\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n"};
	const char *unit = units[form % 6];
	size_t len = strlen(unit);
	count = count * len <= HUGE_MAX ? count : HUGE_MAX / len;
	switch (form / 6 % 4) {
		case 0:
			say(end, "*%zu\r\n", count);
			break;
		case 1:
			say(end, "$%zu\r\n", count * len);
			break;
		case 2:
			say(end, "-ERR ");
			break;
		default:
			break;
	}
	for (size_t i = 0; i < count; i++) {
		say_bytes(end, unit, len);
	}
	say(end, "\r\n");
}

/* An honest answer of which one byte is another one, or that ends too early. */
static void say_damaged(hostile_server_end *end, bool is_cut)
{
	size_t before = end->sent_len;
	unsigned place = input_take();
	if (!answer_next(end, input_take() % 2 == 0) || end->sent_len == before) {
		return;
	}
	size_t at = before + place % (end->sent_len - before);
	if (is_cut) {
		end->sent_len = at;
	} else {
		end->sent[at] = (char) input_take();
	}
}

hostile_event hostile_server_act(hostile_server_end *end)
{
	if (input_is_over()) {
		return HOSTILE_NOTHING;
	}
	unsigned what = input_take();
	switch (what % 16) {
		case 0:
		case 1:
			return answer_next(end, what % 2 == 0) ? HOSTILE_SAID : HOSTILE_NOTHING;
		case 2:
		case 3: {
			bool has_said = false;
			while (answer_next(end, what % 2 == 0)) {
				has_said = true;
			}
			return has_said ? HOSTILE_SAID : HOSTILE_NOTHING;
		}
		case 4:
		case 5: {
			const char *text = texts[input_take() % TEXTS];
			end->answered += end->answered < end->command_count;
			say_bytes(end, text, strlen(text));
			return HOSTILE_SAID;
		}
		case 6: {
			rl_bytes raw = input_take_some(1 + what / 16);
			say_bytes(end, raw.data, raw.len);
			return HOSTILE_SAID;
		}
		case 7:
			say_damaged(end, false);
			return HOSTILE_SAID;
		case 8:
			say_damaged(end, true);
			return HOSTILE_SAID;
		case 9:
			while (answer_next(end, what / 16 % 2 == 0)) {
			}
			return HOSTILE_CUT;
		case 10:
			return HOSTILE_OVER;
		case 11: /* the last answer, and the end */
			answer_next(end, what / 16 % 2 == 0);
			return HOSTILE_OVER;
		case 12:
			say_huge(end);
			return HOSTILE_SAID;
		case 13:
			end->answered += end->answered < end->command_count;
			say_numbers(end);
			return HOSTILE_SAID;
		case 14: /* an answer that belongs to no command */
			say(end, what / 16 % 2 == 0 ? "+OK\r\n" : ":1\r\n");
			return HOSTILE_SAID;
		default:
			return HOSTILE_NOTHING;
	}
}
