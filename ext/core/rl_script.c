/* SPDX-License-Identifier: MIT
 *
 * pcall and return, not call: up to Redis 6.2 an error that call() raises loses its word (WRONGTYPE
 * becomes ERR), one that is returned keeps it. A pcall gives a table with err for an error, and one with ok
 * for a status.
 */
#include "core/rl_script.h"

#define SCRIPT(text, sha1) \
 { \
  text, sizeof text - 1, sha1 \
 }

#define LUA_KEYS "local c,k,w,l=redis.pcall,KEYS[1],KEYS[2],KEYS[3] "

#define LUA_VALUE \
 "local v=c('GET',k) " \
 "if type(v)=='table' then return v end "

/* v, the server's time n, the key's PTTL p. */
#define LUA_LOOK \
 LUA_VALUE \
 "local n=0 " \
 "if w then local t=c('TIME') if not t.err then n=t[1]*1000000+t[2] end end " \
 "local p=v and c('PTTL',k) or -2 " \
 "if type(p)=='table' then return p end "

/* An rl_holder. */
#define LUA_HOLDER \
 "local function holder() " \
 "if not v then return 0 end " \
 "if v=='' and p>=0 and p<=10 then return 1 end " \
 "if v==ARGV[1] then return 2 end " \
 "if #v==28 and string.sub(v,1,4)=='rl1.' then return 3 end " \
 "return 4 end "

/* Notes for two seconds that the waiter waits, and forgets those who were not heard of for as long. What cannot
 * be given an end is taken back. */
#define LUA_MARK(waiter) \
 "local function mark() " \
 "if n==0 then return end " \
 "c('ZREMRANGEBYSCORE',w,'-inf',n/1000) " \
 "if type(c('ZADD',w,n/1000+2000," waiter "))=='table' then n=0 " \
 "elseif c('PEXPIRE',w,2000)~=1 then c('ZREM',w," waiter ") n=0 end end "

/* An rl_ticket. A ticket that cannot be given an end is taken back. */
#define LUA_TICKET \
 "local function ticket() " \
 "local n=c('LLEN',l) " \
 "local r=n " \
 "if n==0 then r=c('LPUSH',l,1) end " \
 "if type(r)=='table' then return -1 end " \
 "if c('PEXPIRE',l,1000)~=1 then c('DEL',l) return -1 end " \
 "return n>0 and 1 or 0 end "

/* Whose mark is void may still be counted here: the next one who marks takes it away, or the whole set ends. */
#define LUA_FREE \
 "local m=w and c('ZCARD',w) or 0 " \
 "if m==0 then return c('DEL',k) end " \
 "local s=type(m)=='number' and ticket() or -1 " \
 "if s>=0 and not c('SET',k,'','PX',10).err then return 1 end " \
 "local d=c('DEL',k) " \
 "return d==1 and s<0 and 2 or d"

static const rl_script scripts[RL_SCRIPTS] = {
	/* A token that is ours already keeps a longer TTL that it may have got meanwhile. */
	[RL_SCRIPT_TRY] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER LUA_MARK("ARGV[5]") LUA_TICKET
		"local h=holder() "
		"local late=ARGV[4]~='0' and n>tonumber(ARGV[4]) "
		"local free=h==0 or (h==1 and ARGV[4]~='0') "
		"local mine=h==2 and ARGV[3]=='1' "
		"if late then if free then ticket() end return {0,n,p,h} end "
		"if free or mine then "
		"if free or p<tonumber(ARGV[2]) then "
		"local r=c('SET',k,ARGV[1],'PX',ARGV[2]) "
		"if r.err then return r end end "
		"if w then c('ZREM',w,ARGV[5]) end "
		"return {1,n} end "
		"if w then if ARGV[6]=='1' then c('ZREM',w,ARGV[5]) else mark() end end "
		"return {0,n,p,h}",
		"e98046a42a55622a012c352a78dd15339a5c7ce8"),
	[RL_SCRIPT_RELEASE] =
		SCRIPT(LUA_KEYS "if w and ARGV[2] then c('ZREM',w,ARGV[2]) end " LUA_VALUE LUA_TICKET
						"if v~=ARGV[1] then return 0 end " LUA_FREE,
			"bdd84d4e3e2bd72720f990ef54ba617c4a9e563e"),
	[RL_SCRIPT_EXTEND] = SCRIPT("local v=redis.pcall('GET',KEYS[1]) "
								"if type(v)=='table' then return v end "
								"if v~=ARGV[1] then return 0 end "
								"return redis.pcall('PEXPIRE',KEYS[1],ARGV[2])",
		"6d1d59e9f5af01e6d094877d2b8ad6a5b1af0b10"),
	[RL_SCRIPT_RENEW] =
		SCRIPT("local c,k=redis.pcall,KEYS[1] " LUA_VALUE "if v~=ARGV[1] then return 0 end "
			   "local p=c('PTTL',k) "
			   "if type(p)=='table' then return p end "
			   "if p>=tonumber(ARGV[2]) then return 1 end "
			   "return c('PEXPIRE',k,ARGV[2])",
			"ab80887516454f7943a390eb2703f392b2f0319c"),
	/* Reserved at once, or each look of many waiters would wake another of them. One that comes behind its own
	 * win marks nobody. */
	[RL_SCRIPT_NUDGE] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER LUA_MARK("ARGV[2]") LUA_TICKET
		"local h=holder() "
		"if h~=2 then mark() end "
		"local s=v and 0 or ticket() "
		"if not v and s==0 then c('SET',k,'','PX',10) end "
		"return {n,p,h,s}",
		"310befe063f1faf32962e21cb331f8465b787ab5"),
	[RL_SCRIPT_FORCE] = SCRIPT(LUA_KEYS LUA_TICKET
		"local v=c('GET',k) "
		"if not v then return 0 end "
		"if v=='' then local p=c('PTTL',k) "
		"if type(p)=='number' and p>=0 and p<=10 then return 0 end end " LUA_FREE,
		"7178360cc2c6d51caa35129f42c8369d012b9509"),
};

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}
