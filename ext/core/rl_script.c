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

#define LUA_KEYS "local k,w,l=KEYS[1],KEYS[2],KEYS[3] "

#define LUA_VALUE \
 "local v=redis.pcall('GET',k) " \
 "if type(v)=='table' then return v end "

/* v, the server's time n, the key's PTTL p. */
#define LUA_LOOK \
 LUA_VALUE \
 "local n=0 " \
 "if w then local t=redis.pcall('TIME') if not t.err then n=t[1]*1000000+t[2] end end " \
 "local p=v and redis.pcall('PTTL',k) or -2 " \
 "if type(p)=='table' then return p end "

/* An rl_holder. */
#define LUA_HOLDER \
 "local function holder() " \
 "if not v then return 0 end " \
 "if v=='' and p>=0 and p<=10 then return 1 end " \
 "if v==ARGV[1] then return 2 end " \
 "if #v==28 and string.sub(v,1,4)=='rl1.' then return 3 end " \
 "return 4 end "

/* Notes that the sender waits, for two seconds. What cannot be given an end is taken back. */
#define LUA_MARK \
 "local function mark() " \
 "if n==0 then return end " \
 "if type(redis.pcall('ZADD',w,n/1000+2000,ARGV[1]))=='table' then n=0 " \
 "elseif redis.pcall('PEXPIRE',w,2000)~=1 then redis.pcall('ZREM',w,ARGV[1]) n=0 end end "

/* An rl_ticket. A ticket that cannot be given an end is taken back. */
#define LUA_TICKET \
 "local function ticket() " \
 "local n=redis.pcall('LLEN',l) " \
 "local r=n " \
 "if n==0 then r=redis.pcall('LPUSH',l,1) end " \
 "if type(r)=='table' then return -1 end " \
 "if redis.pcall('PEXPIRE',l,1000)~=1 then redis.pcall('DEL',l) return -1 end " \
 "return n>0 and 1 or 0 end "

/* Those whose mark is older than two seconds are no longer waited for. */
#define LUA_FREE \
 "local c=w and redis.pcall('ZCARD',w) or 0 " \
 "if type(c)=='number' and c>0 then " \
 "local t=redis.pcall('TIME') " \
 "c=t.err and t or redis.pcall('ZREMRANGEBYSCORE',w,'-inf',t[1]*1000+t[2]/1000) " \
 "if type(c)=='number' then c=redis.pcall('ZCARD',w) end end " \
 "if c==0 then return redis.pcall('DEL',k) end " \
 "local s=type(c)=='number' and ticket() or -1 " \
 "if s>=0 and not redis.pcall('SET',k,'','PX',10).err then return 1 end " \
 "local d=redis.pcall('DEL',k) " \
 "return d==1 and s<0 and 2 or d"

static const rl_script scripts[RL_SCRIPTS] = {
	[RL_SCRIPT_TRY] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER LUA_MARK LUA_TICKET
		"local h=holder() "
		"local late=ARGV[4]~='0' and n>tonumber(ARGV[4]) "
		"local free=h==0 or (h==1 and ARGV[4]~='0') "
		"if late then if free then ticket() end return {0,n,p,h} end "
		"if free or (h==2 and ARGV[3]=='1') then "
		"local r=redis.pcall('SET',k,ARGV[1],'PX',ARGV[2]) "
		"if r.err then return r end "
		"if w then redis.pcall('ZREM',w,ARGV[1]) end "
		"return {1,n} end "
		"if w then if ARGV[5]=='1' then redis.pcall('ZREM',w,ARGV[1]) else mark() end end "
		"return {0,n,p,h}",
		"efb0225f35dcaa8e331e24046e6eef758fc81573"),
	[RL_SCRIPT_RELEASE] =
		SCRIPT(LUA_KEYS LUA_VALUE LUA_TICKET "if v~=ARGV[1] then return 0 end " LUA_FREE,
			"ac71d91df88f13b9d73c1ff623316209926d2d01"),
	[RL_SCRIPT_EXTEND] = SCRIPT("local v=redis.pcall('GET',KEYS[1]) "
								"if type(v)=='table' then return v end "
								"if v~=ARGV[1] then return 0 end "
								"return redis.pcall('PEXPIRE',KEYS[1],ARGV[2])",
		"6d1d59e9f5af01e6d094877d2b8ad6a5b1af0b10"),
	/* Reserved at once, or each look of many waiters would wake another of them. One that comes behind its own
	 * win marks nobody. */
	[RL_SCRIPT_NUDGE] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER LUA_MARK LUA_TICKET
		"local h=holder() "
		"if h~=2 then mark() end "
		"local s=v and 0 or ticket() "
		"if not v and s==0 then redis.pcall('SET',k,'','PX',10) end "
		"return {n,p,h,s}",
		"36ae5db061f673059374fe0fd899547ff8217143"),
	[RL_SCRIPT_FORCE] = SCRIPT(LUA_KEYS LUA_TICKET
		"local v=redis.pcall('GET',k) "
		"if not v then return 0 end "
		"if v=='' then local p=redis.pcall('PTTL',k) "
		"if type(p)=='number' and p>=0 and p<=10 then return 0 end end " LUA_FREE,
		"a566773f0600cb89e385507840550423c2614534"),
};

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}
