/* SPDX-License-Identifier: MIT
 *
 * The scripts call pcall() and return its errors, because up to Redis 6.2 an error that call()
 * raises loses its code (WRONGTYPE becomes ERR). pcall() returns an error as a table with err, and
 * a status as a table with ok.
 */
#include "core/wire/rl_script.h"

#define SCRIPT(text, sha1) \
 { \
  text, sizeof text - 1, sha1 \
 }

#define LUA_KEYS "local c,k,w,l,r=redis.pcall,KEYS[1],KEYS[2],KEYS[3] "

/* Sets v, the value. A sorted set is a lock of symfony/lock: the error of GET stays in v, as a
 * table that is no token. */
#define LUA_VALUE \
 "local v=c('GET',k) " \
 "if type(v)=='table' and c('TYPE',k).ok~='zset' then return v end "

/* Returns unless the token is the holder's. The value of a reservation has no holder, whatever its
 * TTL. */
#define LUA_NOT_OURS \
 "if v~=ARGV[1] then return v and v~='' and v~='" RL_RESERVED_LONG "' and -1 or 0 end "

/* Sets v, the server's time n, and the key's PTTL p. */
#define LUA_LOOK \
 LUA_VALUE \
 "local n=0 " \
 "if w then local t=c('TIME') if not t.err then n=t[1]*1000000+t[2] end end " \
 "local p=v and c('PTTL',k) or -2 " \
 "if type(p)=='table' then return p end "

/* True if the value v with the PTTL p is a reservation. */
#define LUA_RESERVED \
 "(type(p)=='number' and p>=0 and ((v=='' and p<=10) or (v=='" RL_RESERVED_LONG "' and p<=250))) "

/* Sets h: an rl_holder, or the label of a holder whose token has one. rl_token_is_drawn() has the
 * same rule for the form of a token: "rl1." and 24 characters, or these, '@' and 1 to 64 more. */
#define LUA_HOLDER \
 "local h=4 " \
 "if not v then h=0 " \
 "elseif " LUA_RESERVED "then h=1 " \
 "elseif v==ARGV[1] then h=2 " \
 "elseif type(v)=='string' and string.sub(v,1,4)=='rl1.' then " \
 "if #v==28 then h=3 " \
 "elseif v=='" RL_DONE "' then h=5 " \
 "elseif #v<=93 and string.find(v,'^@[!-~]+$',29) then h=string.sub(v,30) end end "

/* Marks the waiter i for e ms, and removes the marks that have expired. If the set cannot be given
 * a TTL, the mark is removed again. The score of the member '' is no time, but the longest
 * reservation that a waiter needs. */
#define LUA_MARK \
 "if n~=0 then " \
 "c('ZREMRANGEBYSCORE',w,'1000',n/1000) " \
 "r=c('ZADD',w,n/1000+e,i) " \
 "if type(r)=='table' then n=0 " \
 "elseif c('PEXPIRE',w,'2000')~=1 then c('ZREM',w,i) n=0 " \
 "elseif g and tonumber(g)>10 then c('ZADD',w,'GT',g,'') end end "

/* Removes the mark of the waiter i. If only the element '' of the sorted set is left, which is no
 * mark (see LUA_MARK), removes that too. */
#define LUA_UNMARK \
 "r=c('ZREM',w,i) " \
 "if g and c('ZCARD',w)==1 then c('ZREM',w,'') end "

/* A replica refuses to change the marks, which leaves an error in r. It may also have an old state
 * of the lock, so the error becomes the answer. Up to Redis 6.2 the error does not begin with its
 * code. */
#define LUA_REPLICA \
 "if type(r)=='table' and string.find(r.err,'READONLY',1,true) then return r end "

/* Puts a ticket into the list unless there is one. Returns an rl_ticket. If the list cannot be
 * given a TTL, it is deleted again. */
#define LUA_TICKET \
 "local function ticket() " \
 "local n=c('LLEN',l) " \
 "local r=n " \
 "if n==0 then r=c('LPUSH',l,'1') end " \
 "if type(r)=='table' then return -1 end " \
 "if c('PEXPIRE',l,'1000')~=1 then c('DEL',l) return -1 end " \
 "return n>0 and 1 or 0 end "

/* Keeps the lock for the waiter that has just been woken. */
#define LUA_RESERVE \
 "local function reserve() " \
 "local r=10 " \
 "if g then " \
 "r=tonumber(g) " \
 "local s=c('ZSCORE',w,'') " \
 "if type(s)=='string' and tonumber(s)>r then r=tonumber(s) end " \
 "if r>250 then r=250 end end " \
 "return c('SET',k,r>10 and '" RL_RESERVED_LONG "' or '','PX',r) end "

/* Frees the lock. Where nothing is in the set of marks, nothing else is looked at: so a lock for
 * which no client waits costs the server least, and the functions are not even made. A mark that
 * has expired may still be counted here. The next waiter that is marked removes it, or the set
 * itself expires. */
#define LUA_FREE \
 "local m=w and c('ZCARD',w) or 0 " \
 "if m~=0 then m=c('ZCOUNT',w,'1000','+inf') end " \
 "if m==0 then return c('DEL',k) end " LUA_TICKET LUA_RESERVE \
 "local s=type(m)=='number' and ticket() or -1 " \
 "if s>=0 and not reserve().err then return 1 end " \
 "local d=c('DEL',k) " \
 "return d==1 and s<0 and 2 or d"

/* Leaves RL_DONE for d ms, and sends a ticket to the first waiter. Where the server refuses the
 * mark, no waiter is woken. */
#define LUA_LEAVE_DONE \
 "local s=c('SET',k,'" RL_DONE "','PX',d) " \
 "if s.err then return s end " \
 "local m=w and c('ZCOUNT',w,'1000','+inf') or 0 " \
 "if m==0 then return 1 end " LUA_TICKET "return type(m)=='number' and ticket()>=0 and 1 or 2 "

/* Sets m, the number of marks. */
#define LUA_CROWD \
 "local m=w and c('ZCARD',w) " \
 "if type(m)~='number' then m=0 end "

/* A script that finds the lock as it should be writes it again: replicas confirm writes (WAIT), and
 * a server that has become a replica refuses them. */
static const rl_script scripts[RL_SCRIPTS] = {
	/* If the mark of a place in the queue is missing or has expired, its process stands still, is
	 * gone, or no longer waits: the try takes nothing, and the next waiter gets the ticket. The set
	 * of marks ends two seconds after the latest look of any waiter, so a missing set says the same
	 * of all of them. An error says nothing, and the mark counts as valid. A key that has our token
	 * already keeps its TTL if that is longer. */
	[RL_SCRIPT_TRY] = SCRIPT(LUA_KEYS
		"local q,i,e,g=ARGV[4],ARGV[5],ARGV[6],ARGV[7] " LUA_LOOK LUA_HOLDER
		"if h==5 and q=='1' then " LUA_UNMARK LUA_REPLICA LUA_TICKET
		"local m=c('ZCOUNT',w,n/1000,'+inf') "
		"if type(m)=='number' and m>0 then ticket() end "
		"return {0,n,p,h,0} end "
		"local free=h==0 or (h==1 and q~='0') "
		"local mine=h==2 and ARGV[3]=='1' "
		"if q=='1' and n>0 then "
		"local s=c('ZSCORE',w,i) "
		"local void=not s "
		"if type(s)=='string' then void=tonumber(s)<n/1000 end "
		"if void and free then " LUA_TICKET LUA_RESERVE "local live=c('ZCOUNT',w,n/1000,'+inf') "
		"if type(live)=='number' and live>0 and ticket()>=0 then reserve() "
		"elseif v then c('DEL',k) end end "
		"if void then return {0,n,p,h,0} end end "
		"if free or mine then "
		"local r=c('SET',k,ARGV[1],'PX',free and ARGV[2] or math.max(p,ARGV[2])) "
		"if r.err then return r end "
		"if w then " LUA_UNMARK "end "
		"return {1,n} end "
		"if w and q~='1' then if e=='0' then " LUA_UNMARK "else " LUA_MARK
		"end end " LUA_REPLICA LUA_CROWD "return {0,n,p,h,m}",
		"9a147af2aff72f2529fb0a93de994ec7709f03ee"),
	[RL_SCRIPT_RELEASE] =
		SCRIPT(LUA_KEYS "local i,g,d=ARGV[2],ARGV[3],ARGV[5] "
						"if w and i and i~='' then " LUA_UNMARK "end " LUA_VALUE
						"if v~=ARGV[1] then return d and v=='" RL_DONE "' and 3 or 0 end "
						"if d then " LUA_LEAVE_DONE "end " LUA_FREE,
			"da3f85702db166bc4e0522a9febdf30d124b7354"),
	[RL_SCRIPT_EXTEND] = SCRIPT("local c,k=redis.pcall,KEYS[1] " LUA_VALUE LUA_NOT_OURS
								"return c('PEXPIRE',k,ARGV[2])",
		"edfbcc8a0d35fbff8532e25c6458d1764f69a631"),
	[RL_SCRIPT_RENEW] =
		SCRIPT("local c,k=redis.pcall,KEYS[1] " LUA_VALUE LUA_NOT_OURS "local p=c('PTTL',k) "
			   "if type(p)=='table' then return p end "
			   "return c('PEXPIRE',k,math.max(p,ARGV[2]))",
			"dc9a7d94f9dfec949757437107b263a3cced37d2"),
	/* The look that sends the ticket also reserves the lock; otherwise the looks of many waiters
	 * would each wake another waiter. A waiter that has the lock by now (h==2) is not marked. */
	[RL_SCRIPT_PROBE] =
		SCRIPT(LUA_KEYS "local i,e,g=ARGV[2],ARGV[3],ARGV[4] " LUA_LOOK LUA_HOLDER
						"if h~=2 then " LUA_MARK "end " LUA_REPLICA "local s=0 "
						"if not v then " LUA_TICKET LUA_RESERVE "s=ticket() "
						"if s==0 then reserve() end end " LUA_CROWD "return {n,p,h,s,m}",
			"b62f62f21b059530b74d7f05cb90511a0fb34d61"),
	/* Only live marks count, not the member ''. */
	[RL_SCRIPT_INSPECT] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER
		"local m=n>0 and c('ZCOUNT',w,n/1000,'+inf') "
		"if type(m)~='number' then m=0 end "
		"return {p,h,m,type(v)=='string' and string.sub(v,1,4096) or ''}",
		"34dd12ea20486c6d1c01192f20ee9dc73b9e3f94"),
	[RL_SCRIPT_FORCE] =
		SCRIPT(LUA_KEYS "local g=ARGV[1] "
						"local v=c('GET',k) "
						"if not v then return 0 end "
						"if type(v)=='table' then "
						"local t=string.sub(v.err,1,9)=='WRONGTYPE' and c('TYPE',k).ok "
						"return t and {err='WRONGTYPE the key holds a '..t} or v end "
						"if v=='' or v=='" RL_RESERVED_LONG "' then "
						"local p=c('PTTL',k) "
						"if " LUA_RESERVED "then return 0 end end " LUA_FREE,
			"5690f6e74a8dfb4240a07e53512f807a5a6ccb06"),
	/* A SWAP is sent again if its answer is lost. A copy that runs late must not shorten the TTL
	 * that an extend() has set meanwhile. */
	[RL_SCRIPT_SWAP] =
		SCRIPT("local c,k=redis.pcall,KEYS[1] " LUA_VALUE "local t=tonumber(ARGV[3]) "
			   "if v==ARGV[1] then "
			   "local r=t==0 and c('SET',k,ARGV[2],'KEEPTTL') "
			   "or c('SET',k,ARGV[2],'PX',ARGV[3]) "
			   "return r.err and r or 1 end "
			   "if v~=ARGV[2] then return 0 end "
			   "local p=c('PTTL',k) "
			   "if type(p)=='table' then return p end "
			   "if p>0 or t>0 then p=c('PEXPIRE',k,math.max(p,t)) "
			   "if type(p)=='table' then return p end end "
			   "return 2",
			"4591220f91d1db0f0ff89781dd61a9a14a83c377"),
	/* The comparison with o is false for a text that is no number, also for "nan". */
	[RL_SCRIPT_FENCE] = SCRIPT(
		"local c,k,f=redis.pcall,KEYS[1],KEYS[2] " LUA_VALUE LUA_NOT_OURS "local o=c('GET',f) "
		"if type(o)=='table' then return o end "
		"o=tonumber(o or 0) "
		"if not (o and o>=0 and o<9007199254740991) then "
		"return {err='ERR the key ::rl-fence of the lock has no fencing number'} end "
		"local n=tonumber(ARGV[2]) "
		"if n==0 then "
		"local t=c('TIME') "
		"if t.err then return t end "
		"n=math.max(o+1,t[1]*1000000+t[2]) end "
		"n=string.format('%.0f',math.max(o,n)) "
		"local r=c('SET',f,n,'PX',86400000) "
		"return r.err and r or n",
		"1b97b3e08f88527c75b8cf053be639ff83e7f583"),
};

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}
