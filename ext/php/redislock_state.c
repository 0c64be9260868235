/* SPDX-License-Identifier: MIT */
#include "php_redislock.h"

#include "php/redislock_state.h"

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

/* The labels of waiters. A server may say anything, so what is no label is left out. */
static void list_waiters(zval *list, const rl_lock_state *state)
{
	array_init(list);
	for (size_t at = 0; at < state->waiting_len;) {
		const char *word = state->waiting + at;
		const char *space = memchr(word, ' ', state->waiting_len - at);
		size_t len = space != NULL ? (size_t) (space - word) : state->waiting_len - at;
		if (rl_label_is_valid(rl_bytes_of(word, len))) {
			add_next_index_stringl(list, word, len);
		}
		at += len + 1;
	}
}

void redislock_state_new(zval *object, const rl_lock_state *state)
{
	zval value;
	object_init_ex(object, ce_state);
	if (state->label.len > 0) {
		ZVAL_STRINGL(&value, state->label.text, state->label.len);
	} else {
		ZVAL_NULL(&value);
	}
	set(object, "label", &value);
	ZVAL_DOUBLE(&value, state->left_ms >= 0 ? (double) state->left_ms / 1000 : ZEND_INFINITY);
	set(object, "remaining", &value);
	ZVAL_LONG(&value, (zend_long) state->waiters);
	set(object, "waiters", &value);
	list_waiters(&value, state);
	set(object, "waiting", &value);
	if (state->since > 0) {
		ZVAL_LONG(&value, (zend_long) state->since);
	} else {
		ZVAL_NULL(&value);
	}
	set(object, "since", &value);
	ZVAL_BOOL(&value, state->holder == RL_HOLDER_FOREIGN);
	set(object, "isForeign", &value);
	ZVAL_BOOL(&value, state->holder == RL_HOLDER_RESERVED);
	set(object, "isReserved", &value);
	ZVAL_BOOL(&value, state->holder == RL_HOLDER_DONE);
	set(object, "isDone", &value);
}

void redislock_state_set_up(zend_class_entry *ce)
{
	ce_state = ce;
}
