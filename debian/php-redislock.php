mod modules/redislock.so
mod debian/redislock.ini
