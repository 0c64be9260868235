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

/* The same for a lock of s permits, by an argument. Then j is the number of the permit that
 * LUA_CHOOSE has chosen, and k its key. */
#define LUA_PERMIT_KEYS(argument) \
 "local s=ARGV[" argument "] and tonumber(ARGV[" argument "]) or 1 " \
 "local j,c,k,w,l,r=1,redis.pcall,KEYS[1],KEYS[s+1],KEYS[s+2] "

/* Chooses the permit with the highest rank: a permit with our token has rank 4, a taken permit has
 * rank 1, and the caller gives the ranks of free and of reserved permits. If all are taken, the
 * permit that ends first is chosen, because the caller has to know when it may look again. MGET
 * says nil for a key of another type, too: such a key is chosen if there is nothing else. asks is
 * the condition for finding out which of the two nil means, and note is done with each rank z. */
#define LUA_CHOOSE(free_rank, reserved_rank, asks, note) \
 "if s>1 then " \
 "local a={} " \
 "for i=1,s do a[i]=KEYS[i] end " \
 "local x=c('MGET',unpack(a)) " \
 "if x.err then return x end " \
 "local top,least=0 " \
 "for i=1,s do " \
 "local y,z=x[i],1 " \
 "if y==ARGV[1] then z=4 " \
 "elseif not y then " \
 "local e=" asks " and c('EXISTS',a[i]) " \
 "if type(e)=='table' then return e end " \
 "z=e==0 and " free_rank " or 0.5 " \
 "elseif y=='' then " \
 "local t=c('PTTL',a[i]) " \
 "if type(t)=='table' then return t end " \
 "if t>=0 and t<=10 then z=" reserved_rank " end end " note "if z>top then top,j=z,i end end " \
 "for i=1,top==1 and s or 0 do " \
 "local t=x[i] and c('PTTL',a[i]) " \
 "if type(t)=='table' then return t end " \
 "if t and t>=0 and (not least or t<least) then j,least=i,t end end " \
 "k=a[j] end "

/* Sets v, the value. A sorted set is a lock of symfony/lock: the error of GET stays in v, as a
 * table that is no token. */
#define LUA_VALUE \
 "local v=c('GET',k) " \
 "if type(v)=='table' and c('TYPE',k).ok~='zset' then return v end "

/* Returns unless the token is the holder's. The value of a reservation has no holder, whatever its
 * TTL, and neither has work that is done. */
#define LUA_NOT_OURS \
 "if v~=ARGV[1] then return v and v~='' and v~='" RL_RESERVED_LONG "' and v~='" RL_DONE \
 "' and -1 or 0 end "

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

/* Puts a ticket into the list unless there are so many. Returns an rl_ticket. If the list cannot be
 * given a TTL, it is deleted again. */
#define LUA_TICKET \
 "local function ticket(most) " \
 "local n=c('LLEN',l) " \
 "local r=n " \
 "if type(n)=='number' and n<most then r=c('LPUSH',l,'1') end " \
 "if type(r)=='table' then return -1 end " \
 "if c('PEXPIRE',l,'1000')~=1 then c('DEL',l) return -1 end " \
 "return n>=most and 1 or 0 end "

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

/* Frees the lock, or one of its o permits. Where nothing is in the set of marks, nothing else is
 * looked at: so a lock for which no client waits costs the server least, and the functions are not
 * even made. A mark that has expired may still be counted here. The next waiter that is marked
 * removes it, or the set itself expires. Of several permits each that is reserved has a ticket in
 * the list, or a waiter that was woken; so a permit for which no ticket was put there is deleted.
 */
#define LUA_FREE \
 "local m=w and c('ZCARD',w) or 0 " \
 "if m~=0 then m=c('ZCOUNT',w,'1000','+inf') end " \
 "if m==0 then return c('DEL',k) end " LUA_TICKET LUA_RESERVE \
 "local s=type(m)=='number' and ticket(o and math.min(m,o) or 1) or -1 " \
 "if (s==0 or (s==1 and not o)) and not reserve().err then return 1 end " \
 "local d=c('DEL',k) " \
 "return d==1 and s<0 and 2 or d"

/* The mark is there already. It is written again, as it is: see `scripts`. */
#define LUA_KEEP_DONE \
 "local p=c('PTTL',k) " \
 "if type(p)=='table' then return p end " \
 "p=c('PEXPIRE',k,math.max(p,1)) " \
 "return type(p)=='table' and p or 3 "

/* Leaves RL_DONE for d ms, and sends a ticket to the first waiter. Where the server refuses the
 * mark, no waiter is woken. */
#define LUA_LEAVE_DONE \
 "local s=c('SET',k,'" RL_DONE "','PX',d) " \
 "if s.err then return s end " \
 "local m=w and c('ZCOUNT',w,'1000','+inf') or 0 " \
 "if m==0 then return 1 end " LUA_TICKET "return type(m)=='number' and ticket(1)>=0 and 1 or 2 "

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
	[RL_SCRIPT_TRY] = SCRIPT(
		LUA_PERMIT_KEYS("8") "local q,i,e,g=ARGV[4],ARGV[5],ARGV[6],ARGV[7] " LUA_CHOOSE(
			"2", "q~='0' and 3 or 1", "top<2", "") LUA_LOOK LUA_HOLDER
		"if h==5 and q=='1' then " LUA_UNMARK LUA_REPLICA LUA_TICKET
		"local m=c('ZCOUNT',w,n/1000,'+inf') "
		"if type(m)=='number' and m>0 then ticket(1) end "
		"return {0,n,p,h,0} end "
		"local free=h==0 or (h==1 and q~='0') "
		"local mine=h==2 and ARGV[3]=='1' "
		"if q=='1' and n>0 then "
		"local o=c('ZSCORE',w,i) "
		"local void=not o "
		"if type(o)=='string' then void=tonumber(o)<n/1000 end "
		"if void and free then " LUA_TICKET LUA_RESERVE "local live=c('ZCOUNT',w,n/1000,'+inf') "
		"local u=type(live)=='number' and live>0 and ticket(math.min(live,s)) or -1 "
		"if u==0 or (u==1 and s==1) then reserve() "
		"elseif v then c('DEL',k) end end "
		"if void then return {0,n,p,h,0} end end "
		"if free or mine then "
		"local r=c('SET',k,ARGV[1],'PX',free and ARGV[2] or math.max(p,ARGV[2])) "
		"if r.err then return r end "
		"if w then " LUA_UNMARK "end "
		"return {1,n,s>1 and j or nil} end "
		"if w and q~='1' then if e=='0' then " LUA_UNMARK "else " LUA_MARK
		"end end " LUA_REPLICA LUA_CROWD "return {0,n,p,h,m}",
		"344e906e40e3ecb5b072d18a426738d701d6b788"),
	[RL_SCRIPT_RELEASE] =
		SCRIPT(LUA_KEYS "local i,g,o,d=ARGV[2],ARGV[3],ARGV[4] and tonumber(ARGV[4]),ARGV[5] "
						"if w and i and i~='' then " LUA_UNMARK "end " LUA_VALUE
						"if d and v=='" RL_DONE "' then " LUA_KEEP_DONE "end "
						"if v~=ARGV[1] then return 0 end "
						"if d then " LUA_LEAVE_DONE "end " LUA_FREE,
			"c179609abee7b8cfc56f89749cb27ff2cdaf210c"),
	[RL_SCRIPT_EXTEND] = SCRIPT("local c,k=redis.pcall,KEYS[1] " LUA_VALUE LUA_NOT_OURS
								"return c('PEXPIRE',k,ARGV[2])",
		"b60cb3524bc02a0b61e1d8fdadb5c05c8508ba74"),
	[RL_SCRIPT_RENEW] =
		SCRIPT("local c,k=redis.pcall,KEYS[1] " LUA_VALUE LUA_NOT_OURS "local p=c('PTTL',k) "
			   "if type(p)=='table' then return p end "
			   "return c('PEXPIRE',k,math.max(p,ARGV[2]))",
			"0b623bc62d731aba0bb3f2c9f97f79c7ab8d5f90"),
	/* The look that sends the ticket also reserves the lock; otherwise the looks of many waiters
	 * would each wake another waiter. A waiter that has the lock by now (h==2) is not marked. Of
	 * several permits, a ticket in the list may be for another permit, which is reserved. So the
	 * list may have as many tickets as there are permits that are free or reserved (f), but no more
	 * than there are live marks (o). */
	[RL_SCRIPT_PROBE] =
		SCRIPT(LUA_PERMIT_KEYS("5") "local i,e,g,f=ARGV[2],ARGV[3],ARGV[4],0 " LUA_CHOOSE(
				   "3", "2", "true", "if z==3 or z==2 then f=f+1 end ") LUA_LOOK LUA_HOLDER
			"if h~=2 then " LUA_MARK "end " LUA_REPLICA "local s=0 "
			"if not v then " LUA_TICKET LUA_RESERVE "local o=f>1 and c('ZCOUNT',w,n/1000,'+inf') "
			"s=ticket(type(o)=='number' and o>1 and math.min(o,f) or 1) "
			"if s==0 then reserve() end end " LUA_CROWD "return {n,p,h,s,m}",
			"e9d78f5440279a974ce08f1fdc9fc4a9578974be"),
	/* Only live marks count, not the member ''. The name of a mark has a label where a token has
	 * one. */
	[RL_SCRIPT_INSPECT] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER
		"local m=n>0 and c('ZCOUNT',w,n/1000,'+inf') "
		"if type(m)~='number' then m=0 end "
		"local x,a=m>0 and c('ZRANGEBYSCORE',w,n/1000,'+inf','LIMIT',0,64) or {},{} "
		"for i=1,#x do if #x[i]<=93 and string.find(x[i],'^@[!-~]+$',29) then "
		"a[#a+1]=string.sub(x[i],30) end end "
		"return {p,h,m,type(v)=='string' and string.sub(v,1,4096) or '',table.concat(a,' ')}",
		"0f3bfb340b50f12d8f4cde3a9c61e34ad207355c"),
	[RL_SCRIPT_FORCE] =
		SCRIPT(LUA_KEYS "local g,o=ARGV[1] "
						"local v=c('GET',k) "
						"if not v then return 0 end "
						"if type(v)=='table' then "
						"local t=string.sub(v.err,1,9)=='WRONGTYPE' and c('TYPE',k).ok "
						"return t and {err='WRONGTYPE the key holds a '..t} or v end "
						"if v=='' or v=='" RL_RESERVED_LONG "' then "
						"local p=c('PTTL',k) "
						"if " LUA_RESERVED "then return 0 end end " LUA_FREE,
			"222d774b8fb0773b515ca21cd33de4d52156598a"),
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
		"969f6644c25d2ba00cdc9cb54d5709747c6a39ac"),
	[RL_SCRIPT_FREE_ANY] =
		SCRIPT("local c,n=redis.pcall,0 "
			   "for i=1,ARGV[2] and #KEYS-2 or #KEYS do "
			   "local v=c('GET',KEYS[i]) "
			   "if type(v)=='table' and string.sub(v.err,1,9)~='WRONGTYPE' then return v end "
			   "if v==ARGV[1] then "
			   "local d=c('DEL',KEYS[i]) "
			   "if type(d)=='table' then return d end "
			   "n=1 end end "
			   "if ARGV[2] then c('ZREM',KEYS[#KEYS-1],ARGV[2]) end "
			   "return n",
			"891d2ecdaf5dab04f4b77c63c44ac0e2f54b7600"),
	/* A page of 500 keys keeps the server busy for well below a millisecond. */
	[RL_SCRIPT_SCAN] =
		SCRIPT("local x=redis.pcall('SCAN',ARGV[1],'MATCH',ARGV[2],'COUNT',500,'TYPE','string') "
			   "if x.err then return x end "
			   "local a={x[1],' '} "
			   "for i=1,#x[2] do "
			   "a[#a+1]=#x[2][i] "
			   "a[#a+1]=':' "
			   "a[#a+1]=x[2][i] end "
			   "return table.concat(a)",
			"d76e2c0e6526b480db46332a1834bc6b0490c129"),
};

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}
