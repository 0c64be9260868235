/* SPDX-License-Identifier: MIT */
#include "php_redislock.h"

#include "php/redislock_state.h"

#include "core/base/rl_token.h"

static zend_class_entry *ce_state;

ZEND_METHOD(RedisLockState, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

/* The value's reference is given up. */
static void set(zval *object, const char *name, zval *value)
{
	zend_update_property(ce_state, Z_OBJ_P(object), name, strlen(name), value);
	zval_ptr_dtor(value);
}

/* The label in the holder's token; null = there is none. */
static void read_label(zval *out, const rl_errand *owner, rl_holder holder)
{
	rl_bytes label = rl_token_label(rl_bytes_of(owner->text, owner->text_len));
	if (holder == RL_HOLDER_KIN && label.data != NULL) {
		ZVAL_STRINGL(out, label.data, label.len);
	} else {
		ZVAL_NULL(out);
	}
}

/* Where a majority of the servers is locked, but not by the same holder, there is no holder. */
void redislock_state_new(zval *object, const rl_quorum_call *call)
{
	const rl_errand *owner = rl_quorum_call_owner(call);
	rl_holder holder = rl_quorum_call_has_owner(call) ? owner->answer.holder : RL_HOLDER_NOBODY;
	int64_t left_ms = rl_quorum_call_remaining(call);
	zval value;
	object_init_ex(object, ce_state);
	read_label(&value, owner, holder);
	set(object, "label", &value);
	if (left_ms >= 0) {
		ZVAL_DOUBLE(&value, (double) left_ms / 1000);
	} else {
		ZVAL_NULL(&value);
	}
	set(object, "remaining", &value);
	ZVAL_LONG(&value, (zend_long) rl_quorum_call_waiters(call));
	set(object, "waiters", &value);
	ZVAL_BOOL(&value, holder == RL_HOLDER_FOREIGN);
	set(object, "isForeign", &value);
	ZVAL_BOOL(&value, holder == RL_HOLDER_RESERVED);
	set(object, "isReserved", &value);
}

void redislock_state_set_up(zend_class_entry *ce)
{
	ce_state = ce;
}
