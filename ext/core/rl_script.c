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

/* Refreshes the mark. */
#define LUA_MARK "if redis.pcall('SET',w,1,'PX',2000).err then n=0 end "

/* An rl_ticket. A ticket that cannot be given an end is taken back. */
#define LUA_TICKET \
 "local function ticket() " \
 "local n=redis.pcall('LLEN',l) " \
 "local r=n " \
 "if n==0 then r=redis.pcall('LPUSH',l,1) end " \
 "if type(r)=='table' then return -1 end " \
 "if redis.pcall('PEXPIRE',l,1000)~=1 then redis.pcall('DEL',l) return -1 end " \
 "return n>0 and 1 or 0 end "

/* A mark always has a TTL. */
#define LUA_FREE \
 "local m=w and redis.pcall('PTTL',w) or -2 " \
 "if m==-1 or m==-2 then return redis.pcall('DEL',k) end " \
 "local s=type(m)=='number' and ticket() or -1 " \
 "if s>=0 and not redis.pcall('SET',k,'','PX',10).err then return 1 end " \
 "local d=redis.pcall('DEL',k) " \
 "return d==1 and s<0 and 2 or d"

static const rl_script scripts[RL_SCRIPTS] = {
	[RL_SCRIPT_TRY] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER LUA_TICKET
		"local h=holder() "
		"local late=ARGV[4]~='0' and n>tonumber(ARGV[4]) "
		"local free=h==0 or (h==1 and ARGV[4]~='0') "
		"if late then if free then ticket() end return {0,n,p,h} end "
		"if free or (h==2 and ARGV[3]=='1') then "
		"local r=redis.pcall('SET',k,ARGV[1],'PX',ARGV[2]) "
		"return r.err and r or {1,n} end "
		"if w then " LUA_MARK "end "
		"return {0,n,p,h}",
		"43f7f577c20feb5e84366d98f1fe4aa8457b6d54"),
	[RL_SCRIPT_RELEASE] =
		SCRIPT(LUA_KEYS LUA_VALUE LUA_TICKET "if v~=ARGV[1] then return 0 end " LUA_FREE,
			"556b6bbd7f07af945c5078cb0740c4b3ef81386b"),
	[RL_SCRIPT_EXTEND] = SCRIPT("local v=redis.pcall('GET',KEYS[1]) "
								"if type(v)=='table' then return v end "
								"if v~=ARGV[1] then return 0 end "
								"return redis.pcall('PEXPIRE',KEYS[1],ARGV[2])",
		"6d1d59e9f5af01e6d094877d2b8ad6a5b1af0b10"),
	[RL_SCRIPT_NUDGE] = SCRIPT(LUA_KEYS LUA_LOOK LUA_HOLDER LUA_TICKET LUA_MARK
		"return {n,p,holder(),v and 0 or ticket()}",
		"f25fac3dacdf28417f60d924aca0c86d2b9562c2"),
	[RL_SCRIPT_FORCE] = SCRIPT(LUA_KEYS LUA_TICKET
		"local v=redis.pcall('GET',k) "
		"if not v then return 0 end "
		"if v=='' then local p=redis.pcall('PTTL',k) "
		"if type(p)=='number' and p>=0 and p<=10 then return 0 end end " LUA_FREE,
		"9fc6f3eb46b94952f01768eb3daac7c53b38cbea"),
};

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}
