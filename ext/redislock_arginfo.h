/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: f803c07f62b5f210f063671e023e96e9154f20df */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedisLock___construct, 0, 0, 0)
	ZEND_ARG_TYPE_MASK(0, servers, MAY_BE_STRING|MAY_BE_ARRAY|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 0, "1.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connectTimeout, IS_DOUBLE, 0, "1.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryDelay, IS_DOUBLE, 0, "0.01")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryMaxDelay, IS_DOUBLE, 0, "0.2")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, jitter, IS_DOUBLE, 0, "0.2")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retries, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, outageWait, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wake, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, persistent, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reentrant, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, driftFactor, IS_DOUBLE, 0, "0.01")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, label, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, tls, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_acquire, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, token, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, abort, IS_CALLABLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_release, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_extend, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, ttl, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedisLock_lease, 0, 1, RedisLockLease, 1)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, renew, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxHold, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, onLoss, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, token, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, abort, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, slots, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedisLock_resume, 0, 2, RedisLockLease, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, renew, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxHold, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, onLoss, IS_CALLABLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_synchronized, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO(0, section, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, renew, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxHold, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, onLoss, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, abort, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, slots, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_once, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, section, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO(0, for, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, renew, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxHold, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, onLoss, IS_CALLABLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, abort, IS_CALLABLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_isLocked, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_owner, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedisLock_inspect, 0, 1, RedisLockState, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_inspectAll, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_findKeys, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\'\'")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "10000")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_remaining, 0, 1, IS_DOUBLE, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLock_forceRelease arginfo_class_RedisLock_isLocked

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_token, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_stats, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, all, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_advance, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, seconds, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_flushMemory, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_waitWith, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, waiter, IS_CALLABLE, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_onContention, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, observer, IS_CALLABLE, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLock_close arginfo_class_RedisLock_flushMemory

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedisLockLease___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockLease_key arginfo_class_RedisLock_token

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLease_keys, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLease_slot, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockLease_token arginfo_class_RedisLock_token

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLease_remaining, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLease_isHeld, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockLease_assertHeld arginfo_class_RedisLock_flushMemory

#define arginfo_class_RedisLockLease_verify arginfo_class_RedisLockLease_isHeld

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLease_extend, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, ttl, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockLease_release arginfo_class_RedisLockLease_isHeld

#define arginfo_class_RedisLockLease_detach arginfo_class_RedisLock_token

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLease_fence, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockLease_heldFor arginfo_class_RedisLockLease_remaining

#define arginfo_class_RedisLockLease_waited arginfo_class_RedisLockLease_remaining

#define arginfo_class_RedisLockLease_attempts arginfo_class_RedisLockLease_slot

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedisLockLease_loss, 0, 0, RedisLockLoss, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockState___construct arginfo_class_RedisLockLease___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockException_getKey, 0, 0, IS_STRING, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockException_getReasons arginfo_class_RedisLockLease_keys

#define arginfo_class_RedisLockServerException_getErrorCode arginfo_class_RedisLock_token

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLockLostException_getResult, 0, 0, IS_MIXED, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLockLostException_getLoss arginfo_class_RedisLockLease_loss


ZEND_METHOD(RedisLock, __construct);
ZEND_METHOD(RedisLock, acquire);
ZEND_METHOD(RedisLock, release);
ZEND_METHOD(RedisLock, extend);
ZEND_METHOD(RedisLock, lease);
ZEND_METHOD(RedisLock, resume);
ZEND_METHOD(RedisLock, synchronized);
ZEND_METHOD(RedisLock, once);
ZEND_METHOD(RedisLock, isLocked);
ZEND_METHOD(RedisLock, owner);
ZEND_METHOD(RedisLock, inspect);
ZEND_METHOD(RedisLock, inspectAll);
ZEND_METHOD(RedisLock, findKeys);
ZEND_METHOD(RedisLock, remaining);
ZEND_METHOD(RedisLock, forceRelease);
ZEND_METHOD(RedisLock, token);
ZEND_METHOD(RedisLock, stats);
ZEND_METHOD(RedisLock, advance);
ZEND_METHOD(RedisLock, flushMemory);
ZEND_METHOD(RedisLock, waitWith);
ZEND_METHOD(RedisLock, onContention);
ZEND_METHOD(RedisLock, close);
ZEND_METHOD(RedisLockLease, __construct);
ZEND_METHOD(RedisLockLease, key);
ZEND_METHOD(RedisLockLease, keys);
ZEND_METHOD(RedisLockLease, slot);
ZEND_METHOD(RedisLockLease, token);
ZEND_METHOD(RedisLockLease, remaining);
ZEND_METHOD(RedisLockLease, isHeld);
ZEND_METHOD(RedisLockLease, assertHeld);
ZEND_METHOD(RedisLockLease, verify);
ZEND_METHOD(RedisLockLease, extend);
ZEND_METHOD(RedisLockLease, release);
ZEND_METHOD(RedisLockLease, detach);
ZEND_METHOD(RedisLockLease, fence);
ZEND_METHOD(RedisLockLease, heldFor);
ZEND_METHOD(RedisLockLease, waited);
ZEND_METHOD(RedisLockLease, attempts);
ZEND_METHOD(RedisLockLease, loss);
ZEND_METHOD(RedisLockState, __construct);
ZEND_METHOD(RedisLockException, getKey);
ZEND_METHOD(RedisLockException, getReasons);
ZEND_METHOD(RedisLockServerException, getErrorCode);
ZEND_METHOD(RedisLockLostException, getResult);
ZEND_METHOD(RedisLockLostException, getLoss);


static const zend_function_entry class_RedisLock_methods[] = {
	ZEND_ME(RedisLock, __construct, arginfo_class_RedisLock___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, acquire, arginfo_class_RedisLock_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, release, arginfo_class_RedisLock_release, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, extend, arginfo_class_RedisLock_extend, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, lease, arginfo_class_RedisLock_lease, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, resume, arginfo_class_RedisLock_resume, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, synchronized, arginfo_class_RedisLock_synchronized, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, once, arginfo_class_RedisLock_once, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, isLocked, arginfo_class_RedisLock_isLocked, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, owner, arginfo_class_RedisLock_owner, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, inspect, arginfo_class_RedisLock_inspect, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, inspectAll, arginfo_class_RedisLock_inspectAll, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, findKeys, arginfo_class_RedisLock_findKeys, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, remaining, arginfo_class_RedisLock_remaining, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, forceRelease, arginfo_class_RedisLock_forceRelease, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, token, arginfo_class_RedisLock_token, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, stats, arginfo_class_RedisLock_stats, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, advance, arginfo_class_RedisLock_advance, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, flushMemory, arginfo_class_RedisLock_flushMemory, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, waitWith, arginfo_class_RedisLock_waitWith, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, onContention, arginfo_class_RedisLock_onContention, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, close, arginfo_class_RedisLock_close, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockLease_methods[] = {
	ZEND_ME(RedisLockLease, __construct, arginfo_class_RedisLockLease___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(RedisLockLease, key, arginfo_class_RedisLockLease_key, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, keys, arginfo_class_RedisLockLease_keys, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, slot, arginfo_class_RedisLockLease_slot, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, token, arginfo_class_RedisLockLease_token, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, remaining, arginfo_class_RedisLockLease_remaining, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, isHeld, arginfo_class_RedisLockLease_isHeld, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, assertHeld, arginfo_class_RedisLockLease_assertHeld, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, verify, arginfo_class_RedisLockLease_verify, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, extend, arginfo_class_RedisLockLease_extend, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, release, arginfo_class_RedisLockLease_release, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, detach, arginfo_class_RedisLockLease_detach, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, fence, arginfo_class_RedisLockLease_fence, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, heldFor, arginfo_class_RedisLockLease_heldFor, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, waited, arginfo_class_RedisLockLease_waited, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, attempts, arginfo_class_RedisLockLease_attempts, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLease, loss, arginfo_class_RedisLockLease_loss, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockState_methods[] = {
	ZEND_ME(RedisLockState, __construct, arginfo_class_RedisLockState___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockLoss_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockException_methods[] = {
	ZEND_ME(RedisLockException, getKey, arginfo_class_RedisLockException_getKey, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockException, getReasons, arginfo_class_RedisLockException_getReasons, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockConnectionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockServerException_methods[] = {
	ZEND_ME(RedisLockServerException, getErrorCode, arginfo_class_RedisLockServerException_getErrorCode, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockTimeoutException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_RedisLockLostException_methods[] = {
	ZEND_ME(RedisLockLostException, getResult, arginfo_class_RedisLockLostException_getResult, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLockLostException, getLoss, arginfo_class_RedisLockLostException_getLoss, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedisLock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLock", class_RedisLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 14, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "acquire", sizeof("acquire") - 1), 3, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "release", sizeof("release") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "extend", sizeof("extend") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "lease", sizeof("lease") - 1), 6, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "resume", sizeof("resume") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockLease(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockLease", class_RedisLockLease_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_RedisLockState(void)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockState", class_RedisLockState_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_READONLY_CLASS;

	zval property_label_default_value;
	ZVAL_UNDEF(&property_label_default_value);
	zend_string *property_label_name = zend_string_init("label", sizeof("label") - 1, 1);
	zend_declare_typed_property(class_entry, property_label_name, &property_label_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_label_name);

	zval property_remaining_default_value;
	ZVAL_UNDEF(&property_remaining_default_value);
	zend_string *property_remaining_name = zend_string_init("remaining", sizeof("remaining") - 1, 1);
	zend_declare_typed_property(class_entry, property_remaining_name, &property_remaining_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_remaining_name);

	zval property_waiters_default_value;
	ZVAL_UNDEF(&property_waiters_default_value);
	zend_string *property_waiters_name = zend_string_init("waiters", sizeof("waiters") - 1, 1);
	zend_declare_typed_property(class_entry, property_waiters_name, &property_waiters_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_waiters_name);

	zval property_waiting_default_value;
	ZVAL_UNDEF(&property_waiting_default_value);
	zend_string *property_waiting_name = zend_string_init("waiting", sizeof("waiting") - 1, 1);
	zend_declare_typed_property(class_entry, property_waiting_name, &property_waiting_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_waiting_name);

	zval property_since_default_value;
	ZVAL_UNDEF(&property_since_default_value);
	zend_string *property_since_name = zend_string_init("since", sizeof("since") - 1, 1);
	zend_declare_typed_property(class_entry, property_since_name, &property_since_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_since_name);

	zval property_isForeign_default_value;
	ZVAL_UNDEF(&property_isForeign_default_value);
	zend_string *property_isForeign_name = zend_string_init("isForeign", sizeof("isForeign") - 1, 1);
	zend_declare_typed_property(class_entry, property_isForeign_name, &property_isForeign_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_isForeign_name);

	zval property_isReserved_default_value;
	ZVAL_UNDEF(&property_isReserved_default_value);
	zend_string *property_isReserved_name = zend_string_init("isReserved", sizeof("isReserved") - 1, 1);
	zend_declare_typed_property(class_entry, property_isReserved_name, &property_isReserved_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_isReserved_name);

	zval property_isDone_default_value;
	ZVAL_UNDEF(&property_isDone_default_value);
	zend_string *property_isDone_name = zend_string_init("isDone", sizeof("isDone") - 1, 1);
	zend_declare_typed_property(class_entry, property_isDone_name, &property_isDone_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_isDone_name);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockLoss(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("RedisLockLoss", IS_UNDEF, class_RedisLockLoss_methods);

	zend_enum_add_case_cstr(class_entry, "Expired", NULL);

	zend_enum_add_case_cstr(class_entry, "Deleted", NULL);

	zend_enum_add_case_cstr(class_entry, "TakenOver", NULL);

	zend_enum_add_case_cstr(class_entry, "MaxHold", NULL);

	zend_enum_add_case_cstr(class_entry, "Released", NULL);

	zend_enum_add_case_cstr(class_entry, "Forked", NULL);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockException(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockException", class_RedisLockException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);

	zval property_reasons_default_value;
	ZVAL_EMPTY_ARRAY(&property_reasons_default_value);
	zend_string *property_reasons_name = zend_string_init("reasons", sizeof("reasons") - 1, 1);
	zend_declare_typed_property(class_entry, property_reasons_name, &property_reasons_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_reasons_name);

	zval property_key_default_value;
	ZVAL_NULL(&property_key_default_value);
	zend_string *property_key_name = zend_string_init("key", sizeof("key") - 1, 1);
	zend_declare_typed_property(class_entry, property_key_name, &property_key_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_key_name);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockConnectionException(zend_class_entry *class_entry_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockConnectionException", class_RedisLockConnectionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLockException);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockServerException(zend_class_entry *class_entry_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockServerException", class_RedisLockServerException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLockException);

	zval property_errorCode_default_value;
	ZVAL_EMPTY_STRING(&property_errorCode_default_value);
	zend_string *property_errorCode_name = zend_string_init("errorCode", sizeof("errorCode") - 1, 1);
	zend_declare_typed_property(class_entry, property_errorCode_name, &property_errorCode_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_errorCode_name);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockTimeoutException(zend_class_entry *class_entry_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockTimeoutException", class_RedisLockTimeoutException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLockException);

	return class_entry;
}

static zend_class_entry *register_class_RedisLockLostException(zend_class_entry *class_entry_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLockLostException", class_RedisLockLostException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLockException);

	zval property_result_default_value;
	ZVAL_NULL(&property_result_default_value);
	zend_string *property_result_name = zend_string_init("result", sizeof("result") - 1, 1);
	zend_declare_typed_property(class_entry, property_result_name, &property_result_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_result_name);

	zend_string *property_loss_class_RedisLockLoss = zend_string_init("RedisLockLoss", sizeof("RedisLockLoss")-1, 1);
	zval property_loss_default_value;
	ZVAL_NULL(&property_loss_default_value);
	zend_string *property_loss_name = zend_string_init("loss", sizeof("loss") - 1, 1);
	zend_declare_typed_property(class_entry, property_loss_name, &property_loss_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_loss_class_RedisLockLoss, 0, MAY_BE_NULL));
	zend_string_release(property_loss_name);

	return class_entry;
}
