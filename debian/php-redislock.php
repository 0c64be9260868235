mod debian/redislock.ini
