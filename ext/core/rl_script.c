/* SPDX-License-Identifier: MIT
 *
 * pcall and return, not call: up to Redis 6.2 an error that call() raises loses its word (WRONGTYPE
 * becomes ERR), one that is returned keeps it.
 */
#include "core/rl_script.h"

#define SCRIPT(text, sha1) \
 { \
  text, sizeof text - 1, sha1 \
 }

static const rl_script scripts[] = {
	[RL_SCRIPT_TRY] = SCRIPT("local v=redis.pcall('GET',KEYS[1]) "
							 "if not v then "
							 "local r=redis.pcall('SET',KEYS[1],ARGV[1],'PX',ARGV[2]) "
							 "return r.err and r or {1} end "
							 "if type(v)=='table' then return v end "
							 "if v~=ARGV[1] then return {0,redis.call('PTTL',KEYS[1]),0} end "
							 "if ARGV[3]=='1' then return {1} end "
							 "return {0,redis.call('PTTL',KEYS[1]),1}",
		"45b3125a4a28f6f72c49efde6f354898f2160ce5"),
	[RL_SCRIPT_RELEASE] = SCRIPT("local v=redis.pcall('GET',KEYS[1]) "
								 "if type(v)=='table' then return v end "
								 "if v~=ARGV[1] then return 0 end "
								 "return redis.pcall('DEL',KEYS[1])",
		"b37e87107fc6de2a9de5173ffe65c7402400fda0"),
	[RL_SCRIPT_EXTEND] = SCRIPT("local v=redis.pcall('GET',KEYS[1]) "
								"if type(v)=='table' then return v end "
								"if v~=ARGV[1] then return 0 end "
								"return redis.pcall('PEXPIRE',KEYS[1],ARGV[2])",
		"6d1d59e9f5af01e6d094877d2b8ad6a5b1af0b10"),
};

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}
