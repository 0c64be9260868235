/* SPDX-License-Identifier: MIT
 *
 * The exceptions. An error of core becomes one here.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"

#include "zend_enum.h"
#include "zend_exceptions.h"

zend_class_entry *redislock_ce_exception;
zend_class_entry *redislock_ce_connection_exception;
zend_class_entry *redislock_ce_server_exception;
zend_class_entry *redislock_ce_timeout_exception;
zend_class_entry *redislock_ce_lost_exception;
zend_class_entry *redislock_ce_loss;

static zend_class_entry *class_for(rl_status status)
{
	switch (status) {
		case RL_ERR_SERVER:
			return redislock_ce_server_exception;
		case RL_ERR_NAME:
		case RL_ERR_CONNECT:
		case RL_ERR_TIMEOUT:
		case RL_ERR_CLOSED:
		case RL_ERR_TLS:
		case RL_ERR_UNCONFIRMED:
		case RL_ERR_PROTOCOL:
		case RL_ERR_UNKNOWN:
		case RL_ERR_SLOW:
		case RL_ERR_FORKED:
			return redislock_ce_connection_exception;
		case RL_OK:
		case RL_BUSY:
		case RL_ERR_MEMORY:
		case RL_ERR_RANDOM:
		case RL_ERR_ARGUMENT:
			break;
	}
	return redislock_ce_exception;
}

static void set_reasons(zend_object *exception, const rl_op *op)
{
	const rl_set *set = op->call.terms.set;
	zval reasons;
	array_init(&reasons);
	for (unsigned i = 0; i < set->count; i++) {
		const rl_errand *member = &op->call.members[i];
		const char *server = set->members[i].target->name;
		if (member->vote == RL_VOTE_FAILED) {
			add_assoc_string(&reasons, server, member->err->message);
		} else if (op->status == RL_ERR_SLOW && member->vote == RL_VOTE_GRANTED) {
			add_assoc_string(&reasons, server, op->err->message);
		}
	}
	zend_update_property(
		redislock_ce_exception, exception, "reasons", sizeof "reasons" - 1, &reasons);
	zval_ptr_dtor(&reasons);
}

void redislock_throw(const rl_error *err, const rl_op *op)
{
	zend_class_entry *ce = class_for(err->status);
	zend_object *exception = zend_throw_exception(ce, err->message, err->sys_errno);
	if (op != NULL) {
		set_reasons(exception, op);
	}
	if (ce == redislock_ce_server_exception) {
		zend_update_property_string(ce, exception, "errorCode", sizeof "errorCode" - 1, err->code);
	}
}

void redislock_note_key(rl_bytes key)
{
	zend_object *exception = EG(exception);
	/* A handler of errors may have thrown an exception of its own. */
	if (exception != NULL && instanceof_function(exception->ce, redislock_ce_exception)) {
		zend_update_property_stringl(
			redislock_ce_exception, exception, "key", sizeof "key" - 1, key.data, key.len);
	}
}

/* Completes the sentence that begins with "the lock k". */
static const char *text_of(rl_loss loss)
{
	switch (loss) {
		case RL_LOSS_NONE:
		case RL_LOSS_EXPIRED:
			break;
		case RL_LOSS_MAX_HOLD:
			return "was lost: maxHold ended its renewal";
		case RL_LOSS_DELETED:
			return "was lost: its key was deleted at the server";
		case RL_LOSS_TAKEN_OVER:
			return "was lost: another holder has taken it over";
		case RL_LOSS_RELEASED:
			return "is not held by this lease any more: it was released or given away";
		case RL_LOSS_FORKED:
			return "is not held by this process: after the fork it belongs to the parent process";
	}
	return "was lost: its TTL ended before it was renewed";
}

void redislock_loss_case(rl_loss loss, zval *out)
{
	static const char *const names[] = {[RL_LOSS_EXPIRED] = "Expired",
		[RL_LOSS_MAX_HOLD] = "MaxHold",
		[RL_LOSS_DELETED] = "Deleted",
		[RL_LOSS_TAKEN_OVER] = "TakenOver",
		[RL_LOSS_RELEASED] = "Released",
		[RL_LOSS_FORKED] = "Forked"};
	if (loss == RL_LOSS_NONE) {
		ZVAL_NULL(out);
	} else {
		ZVAL_OBJ(out, zend_enum_get_case_cstr(redislock_ce_loss, names[loss]));
	}
}

static zend_object *throw_lost(const rl_lease *lease, rl_loss loss, const char *text)
{
	rl_bytes key = rl_lease_name(lease);
	char shown[RL_BYTES_TEXT];
	zend_object *exception = zend_throw_exception_ex(
		redislock_ce_lost_exception, 0, "the lock \"%s\" %s", rl_bytes_text(key, shown), text);
	redislock_note_key(key);
	zval reason;
	redislock_loss_case(loss, &reason);
	zend_update_property(
		redislock_ce_lost_exception, exception, "loss", sizeof "loss" - 1, &reason);
	return exception;
}

void redislock_throw_lost(const rl_lease *lease, rl_loss loss)
{
	throw_lost(lease, loss, text_of(loss));
}

void redislock_throw_section_lost(
	const rl_lease *lease, rl_loss loss, bool is_found_by_release, zval *result)
{
	const char *text = is_found_by_release
		? "was lost: when the section ended, its key had been deleted at the server or belonged to "
		  "another holder"
		: text_of(loss);
	zend_update_property(redislock_ce_lost_exception, throw_lost(lease, loss, text), "result",
		sizeof "result" - 1, result);
}

static void return_property(
	zend_class_entry *ce, zval *self, const char *name, size_t name_len, zval *return_value)
{
	zval rv;
	zval *property = zend_read_property(ce, Z_OBJ_P(self), name, name_len, false, &rv);
	RETURN_COPY_DEREF(property);
}

ZEND_METHOD(RedisLockException, getReasons)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_property(redislock_ce_exception, ZEND_THIS, ZEND_STRL("reasons"), return_value);
}

ZEND_METHOD(RedisLockException, getKey)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_property(redislock_ce_exception, ZEND_THIS, ZEND_STRL("key"), return_value);
}

ZEND_METHOD(RedisLockServerException, getErrorCode)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_property(redislock_ce_server_exception, ZEND_THIS, ZEND_STRL("errorCode"), return_value);
}

ZEND_METHOD(RedisLockLostException, getResult)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_property(redislock_ce_lost_exception, ZEND_THIS, ZEND_STRL("result"), return_value);
}

ZEND_METHOD(RedisLockLostException, getLoss)
{
	ZEND_PARSE_PARAMETERS_NONE();
	return_property(redislock_ce_lost_exception, ZEND_THIS, ZEND_STRL("loss"), return_value);
}
