# A node that fails is asked again, and no other.
# file: ext/core/wire/rl_route.c
# clusters
s/(\]\.is_suspect) = true;/\1 = false;/
