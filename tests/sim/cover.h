/* SPDX-License-Identifier: MIT
 *
 * Coverage of a run: each kind of fault and of branch, counted over all its seeds. A kind that
 * never occurred is a failure of the run, because the run shows nothing about that kind.
 */
#ifndef COVER_H
#define COVER_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, what it is) */
#define COVER_FAULTS(X) \
 X(delay_spike, "the network is slow for a while") \
 X(reset, "a connection is reset") \
 X(reply_lost, "a reply is lost with its connection") \
 X(command_lost, "a command is lost with its connection") \
 X(late_command, "a command runs after its connection was dropped") \
 X(silent_drop, "a connection carries nothing any more, and nobody is told") \
 X(cut_to_server, "nothing passes from a client to a server") \
 X(cut_to_client, "nothing passes from a server to a client") \
 X(cut_both, "nothing passes either way") \
 X(crash_keeping, "a server's process dies, and comes back with its data") \
 X(crash_machine, "a server's machine dies, and comes back with its data") \
 X(struck, "a server dies when it has carried a take-over out, before that is heard") \
 X(crash_losing, "a server dies, and comes back empty after the longest TTL") \
 X(dead, "a server is down for good") \
 X(restart, "a server is back") \
 X(loading, "a server that is back answers LOADING") \
 X(refused_dial, "a server that is down refuses a connection") \
 X(scripts_lost, "a server forgets its scripts") \
 X(stall, "a server is slow") \
 X(replica, "a server is a replica for a while") \
 X(readonly, "a replica refuses to write") \
 X(masterdown, "a replica refuses all") \
 X(role_switch, "another server is the primary, behind the same address or name") \
 X(demoted, "the one that was the primary is still asked") \
 X(renamed, "a name is resolved again") \
 X(out_of_memory, "a server is out of memory for a while") \
 X(oom, "a server has no memory for a write") \
 X(uncopied, "a server has too few replicas for a while") \
 X(noreplicas, "a server has too few replicas to write") \
 X(full, "a server takes no more clients for a while") \
 X(turned_away, "a client is one too many") \
 X(killed, "a server closes a connection") \
 X(unblocked, "a BLPOP is ended before its time") \
 X(sent_away, "a BLPOP is ended because its server has become a replica") \
 X(noperm, "a user may not use the helper keys") \
 X(client_paused, "a process stands still") \
 X(script_paused, "PHP stands still, and the watchdog goes on") \
 X(long_pause, "a process stands still for longer than the TTL") \
 X(client_crashed, "a process dies") \
 X(crash_in_wait, "a process dies in a wait") \
 X(small_buffer, "the system takes half of a command") \
 X(half_record, "the system takes half of a record") \
 X(lag, "a replica lags for a while") \
 X(confirmed, "a replica confirms in time") \
 X(unconfirmed, "no replica confirms in time") \
 X(wait_dropped, "a connection ends while it waits for a replica")

#define COVER_BRANCHES(X) \
 X(granted, "a lock is won by SET") \
 X(granted_by_try, "a lock is won by try") \
 X(granted_by_queue, "a lock is won in the queue") \
 X(refused, "a lock is refused, without a wait") \
 X(oom_ends, "a wait ends because a server has no memory") \
 X(timed_out, "a wait ends without the lock") \
 X(failed, "an acquire fails") \
 X(too_slow, "a grant came too late to be of use") \
 X(split, "votes are split, and tried again") \
 X(undone, "a grant is taken back") \
 X(ticket_taken, "a ticket wakes a waiter") \
 X(ticket_lies, "a ticket finds nobody in the queue") \
 X(blpop_timeout, "a place in the queue ends by its time") \
 X(gone, "a server runs the try of a waiter that has not looked for 2 s") \
 X(blpop_dropped, "a connection ends while it blocks") \
 X(abandoned, "a signal ends an acquire") \
 X(abandoned_wait, "a signal ends a wait in the queue") \
 X(own_token, "a lock is taken with a caller's token") \
 X(given_token, "a lock is taken with a caller's token of our form") \
 X(given_again, "a caller's token of our form is used again") \
 X(twin_refused, "a stranger's equal token is met") \
 X(own_swapped, "a caller's token takes the place of the one that has won") \
 X(own_not_swapped, "a caller's token does not get there") \
 X(released, "a lock is released") \
 X(not_released, "a release comes too late") \
 X(release_failed, "a release fails") \
 X(extended, "a TTL is changed") \
 X(not_extended, "an extend is refused") \
 X(extend_failed, "an extend fails") \
 X(healthy_take, "an acquire of a free key on healthy members is judged") \
 X(healthy_call, "an extend, a release or the like on healthy members is judged") \
 X(shortened, "an extend gives less than there was") \
 X(renewed, "a lease is renewed") \
 X(lost_by_clock, "a lease is lost by the clock") \
 X(lost_by_server, "a lease is lost by what a server says") \
 X(late_renewal, "a renewal runs after the loss") \
 X(put_back, "a member that has lost a lease gets it again") \
 X(batch, "a lease is freed with its object") \
 X(crowd, "several leases are freed together") \
 X(late_release, "the watch repeats a release") \
 X(late_release_done, "and a server carries it out") \
 X(detached, "a lease is given away") \
 X(resumed, "a token is taken over as a lease") \
 X(not_resumed, "a token was taken over before") \
 X(resume_failed, "a take-over fails") \
 X(swapped_back, "a take-over that failed is undone") \
 X(spread, "a lock that no other client wants is looked for on all members") \
 X(late_grant, "a member that a call has not asked gets the lock later") \
 X(kept, "a lease is lost, and might have been kept but for its servers") \
 X(helpers_gone, "marks and tickets are looked for behind the last waiter") \
 X(permit, "a client has one of several permits") \
 X(all_permits, "clients have all permits at once") \
 X(run, "a call takes the lock to do work once") \
 X(run_failed, "such work fails, and its lock is freed") \
 X(marked_done, "a quorum has the mark of work that is done") \
 X(told_done, "a call is told that the work is done") \
 X(told_in_queue, "a call is told so in the queue") \
 X(all_told, "all calls that wait for work that is done should know") \
 X(fenced, "a holder gets a fencing number") \
 X(fenced_by_clock, "a fencing number is judged although its predecessor may be lost") \
 X(not_fenced, "a lease is lost when it is asked for its fencing number") \
 X(fenced_late, "a fencing number comes when the lease is over") \
 X(fence_failed, "a fencing number cannot be asked for") \
 X(max_hold, "a lease is held as long as it may be")

/* of worlds with clusters alone */
#define COVER_CLUSTERS(X) \
 X(moved, "a node redirects to the one that has the slot") \
 X(ask, "a node redirects a command to where the slot moves") \
 X(asked, "a node runs a command behind ASKING") \
 X(asked_in_vain, "a node redirects a command behind ASKING") \
 X(tryagain, "the keys of a command are on two nodes") \
 X(permits_split, "the keys of several permits are on two nodes") \
 X(undo_split, "the keys of an undo that frees any permit are elsewhere, or on two nodes") \
 X(clusterdown, "a node serves no slots") \
 X(blpop_redirected, "a BLPOP is ended because its slot is elsewhere") \
 X(map, "a map of the slots is told") \
 X(stale_map, "a map is an old one") \
 X(move, "a slot begins to move") \
 X(move_interrupted, "a move is interrupted") \
 X(move_unheard, "a key moves, and stays where it was") \
 X(move_ended, "a slot has moved") \
 X(move_given_up, "a move was given up") \
 X(take_over, "a node dies, and its replica takes over") \
 X(hand_over, "a node hands over to its replica") \
 X(cluster_down, "nodes are down for a while")

/* of worlds with Sentinels alone */
#define COVER_SENTINELS(X) \
 X(named, "a Sentinel names the primary") \
 X(named_old, "a Sentinel names a node that is not the primary any more") \
 X(unaware, "a Sentinel does not know the service") \
 X(role_master, "a node says that it is the primary") \
 X(role_slave, "a node says that it is a replica") \
 X(old_primary_writes, "a former primary accepts a write") \
 X(old_primary_grants, "a former primary grants or prolongs a lock that counts, just in time") \
 X(replica_writes, "a replica accepts a write") \
 X(failover_planned, "a planned failover") \
 X(failover_crash, "a primary dies, and a replica takes its place") \
 X(failover_pause, "a primary stands still, and a replica takes its place") \
 X(failover_cut, "a primary is cut off with a minority of Sentinels, and is replaced") \
 X(failover_vain, "a primary is back in time, and is not replaced") \
 X(laggard, "a replica lags behind its primary for a while") \
 X(lost_tail, "a replica is promoted that lacks something") \
 X(lost_lock, "a lock that somebody has is not at the new primary") \
 X(lost_permit, "a permit that a client has is not at the new primary") \
 X(agreed, "a majority of the Sentinels has learned of a switch") \
 X(learned_late, "a Sentinel learns of a switch more than a second after the majority") \
 X(demoted_node, "a former primary becomes a replica") \
 X(sentinel_asleep, "a Sentinel stands still") \
 X(sentinel_died, "a Sentinel dies, and comes back") \
 X(sentinels_gone, "too few Sentinels can be reached") \
 X(sentinel_forgot, "a Sentinel forgets the service for a while") \
 X(switched, "a client notices that the primary is another one") \
 X(not_confirmed, "a grant fails because the Sentinels cannot be asked")

/* of worlds of --kinds alone */
#define COVER_SEVERAL(X) \
 X(waits_with_keys, "a client waits for a key, and holds others") \
 X(all_keys, "a client has all of its keys") \
 X(not_all_keys, "a client cannot have all of its keys, and frees those that it has")

#define COVER_EACH(X) \
 COVER_FAULTS(X) COVER_BRANCHES(X) COVER_CLUSTERS(X) COVER_SENTINELS(X) COVER_SEVERAL(X)

typedef enum cover_kind {
#define COVER_NAME(name, what) COVER_##name,
	COVER_EACH(COVER_NAME)
#undef COVER_NAME
		COVER_KINDS
} cover_kind;

extern uint64_t cover_counts[COVER_KINDS];

#define COVER(name) ((void) cover_counts[COVER_##name]++)

typedef enum cover_part {
	COVER_OF_ALL, /* what all worlds have, and the branches of store.h */
	COVER_OF_CLUSTERS,
	COVER_OF_SENTINELS,
	COVER_OF_SEVERAL,
} cover_part;

/* Prints the kinds of this part, or only those that never occurred.
 * @return how many never occurred */
unsigned cover_report(cover_part part, bool is_quiet);

#endif
