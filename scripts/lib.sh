# shellcheck shell=bash
# Functions that the scripts share. Sourced, never run; the caller has set -euo pipefail.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Everything that the scripts make stands here, so that removing it leaves nothing behind.
build_root=$root/.build
cd "$root" || exit 1

say() {
    echo "$*" >&2
}

die() {
    say "$(basename "$0"): $*"
    exit 1
}

# A check that cannot run here ends so; scripts/test then shows it as skipped, with this reason.
readonly skip_code=77
skip() {
    echo "skipped: $*"
    exit "$skip_code"
}

has() {
    command -v "$1" >/dev/null
}

# Whether this kernel runs programs of i386: the smallest one, whose head says where its code
# begins, exit(0), calls it.
runs_i386() {
    local program code=0
    mkdir -p "$build_root"
    program=$(mktemp -p "$build_root") # a folder whose programs may run
    {
        printf '\x7fELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\x54\x80\4\x08\x34\0\0\0\0\0\0\0\0'
        printf '\0\0\0\x34\0\x20\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\x80\4\x08\0\x80\4\x08\x60\0\0\0'
        printf '\x60\0\0\0\5\0\0\0\0\x10\0\0\x31\xdb\x31\xc0\x40\xcd\x80'
    } >"$program"
    chmod 700 "$program"
    "$program" 2>/dev/null || code=$?
    rm "$program"
    return "$code"
}

# How many compilers and tests run at once.
jobs_here() {
    nproc 2>/dev/null || echo 2
}

# How many processes want to run for each processor, as a whole number.
processes_a_processor() {
    awk -v processors="$(jobs_here)" '{ print int($1 / processors) }' /proc/loadavg 2>/dev/null ||
        echo 0
}

# compile FROM [flag...]: each .c below FROM becomes an object at the same place below $folder,
# several at once, with the caller's "${flags[@]}" and further ones. Files that match the caller's
# $left_out are left out.
compile() {
    local from=$1
    shift
    find "$from" -type d -print0 | (cd "$folder" && xargs -0 mkdir -p)
    find "$from" -name '*.c' ! -name "${left_out:-}" -print0 |
        xargs -0 -r -P "$(jobs_here)" -I '{}' cc "${flags[@]}" "$@" -c '{}' -o "$folder/{}.o"
}

# Of the libraries that the extension is linked with; OpenSSL may be missing.
library_versions() {
    pkg-config --modversion hiredis
    pkg-config --modversion openssl 2>/dev/null || true
}

# end_children SIGNAL: sends the signal to whatever this script has started, and what that has
# started: a signal to the script alone reaches none of it. First all of it stands still, so that
# nothing else begins meanwhile.
end_children() {
    local pid all= pids
    pids=$(cat "/proc/$$/task/"*/children 2>/dev/null || true)
    # shellcheck disable=SC2086 # words
    while [[ $pids == *[0-9]* ]]; do
        kill -STOP $pids 2>/dev/null || true
        all+=" $pids"
        pids=$(for pid in $pids; do
            cat "/proc/$pid/task/"*/children 2>/dev/null || true
        done)
    done
    # shellcheck disable=SC2086 # words
    [ -z "$all" ] || { kill -"$1" $all; kill -CONT $all; } 2>/dev/null || true
}

# take_turns: of the runs of a script that write into one $folder, only one goes on at a time; the
# others wait until it has ended.
take_turns() {
    mkdir -p "$folder"
    ! has flock || {
        exec 8>"$folder.lock"
        flock -n 8 || {
            say "waiting for another run in $folder"
            flock 8
        }
    }
}

# is_built FROM...: whether $folder holds what this compiler makes of the files below FROM as they
# are now, with the caller's "${flags[@]}". If not, the folder is emptied, for the caller to fill it
# and to call mark_built.
is_built() {
    sum_of_sources=$({
        cc --version
        library_versions
        echo "${flags[*]}"
        find "$@" -name '*.[ch]' | LC_ALL=C sort | xargs sha256sum
    } | sha256sum)
    [ "$sum_of_sources" != "$(cat "$folder/.sources" 2>/dev/null)" ] || return 0
    rm -rf "$folder"
    mkdir -p "$folder"
    return 1
}
mark_built() {
    echo "$sum_of_sources" >"$folder/.sources"
}

# objects FROM...: fills the array of that name with the objects that compile() has made of what is
# below FROM.
objects() {
    mapfile -t objects < <(cd "$folder" && find "$@" -name '*.o' -printf "$folder/%p\n" |
        LC_ALL=C sort)
}

# --- Mutations: files of sed that plant a fault, with a line "# file: NAME"
# ------------------------------------------------------------------------------------

# The file that a mutation changes.
target_of() {
    sed -n 's/^# file: //p' "$1"
}

# mutations_change_files FOLDER: code that moves or changes must not leave a mutation behind that
# does nothing.
mutations_change_files() {
    local file target code=0
    for file in "$1"/*.sed; do
        target=$(target_of "$file")
        if [ ! -f "$target" ] || sed -E -f "$file" "$target" | cmp -s - "$target"; then
            say "$(basename "$file") changes nothing in $target"
            code=1
        fi
    done
    return "$code"
}

# --- The project's files
# --------------------------------------------------------------------------------------

# Lists the project's own files, without what builds and tests have left beside them. An unpacked
# archive has no git to ask, and a fresh machine none to run.
source_files() {
    if has git && git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        # Names that are not in the archive are no error.
        find .ci .clang-format .dockerignore .editorconfig .gitattributes .github .gitignore \
            .valgrindrc CHANGELOG.md CONTRIBUTING.md LICENSE README.md README.zh-CN.md bench \
            composer.json config.m4 config.w32 debian docs examples ext package.xml packages \
            scripts stubs tests -type f ! -path '*/.libs/*' \
            ! -name '*.dep' ! -name '*.la' ! -name '*.lo' ! -name '*.o' \
            ! -name '*.diff' ! -name '*.exp' ! -name '*.log' ! -name '*.mem' ! -name '*.out' \
            ! -path 'tests/*.php' ! -path 'tests/*.sh' 2>/dev/null || true
    fi | while IFS= read -r file; do
        # git also lists what is deleted but not committed yet.
        [ ! -f "$file" ] || echo "$file"
    done | LC_ALL=C sort -u
}

# The one place of the version is the header.
version() {
    sed -n 's/^#define PHP_REDISLOCK_VERSION "\(.*\)"$/\1/p' ext/php_redislock.h
}

# The version as Debian and Fedora write it: a tilde sorts before the release itself, two tildes
# before one, and "RC" before "alpha".
debian_version() {
    version | sed -E 's/dev/~~dev/; s/RC/~rc/; s/(alpha|beta)/~\1/'
}

# publisher NAME: a value of scripts/packaging/publisher.ini.
publisher() {
    php -n scripts/inc/publisher.inc get "$1"
}

# module_edges: a line "X Y" for each two modules of ext of which X includes Y. A module is X.c and
# X.h together.
module_edges() {
    grep -roE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+\.h"' ext --include='*.[ch]' |
        sed -E 's/^ext\/(.*)\.[ch]:.*"(.*)\.h"$/\1 \2/' | awk '$1 != $2' | LC_ALL=C sort -u
}

# include_cycles: reads edges, and prints the modules that include each other, each such group in
# one line.
include_cycles() {
    awk '
        { reaches[$1, $2] = is_module[$1] = is_module[$2] = 1 }
        END {
            for (through in is_module)
                for (from in is_module)
                    if ((from, through) in reaches)
                        for (to in is_module)
                            if ((through, to) in reaches)
                                reaches[from, to] = 1
            for (from in is_module)
                for (to in is_module)
                    if ((from, to) in reaches && (to, from) in reaches)
                        print from, to
        }' | LC_ALL=C sort |
        awk '
            $1 != module { print line; module = $1; line = "" }
            { line = line $2 " " }
            END { print line }' |
        sed 's/ $//; /^$/d' | LC_ALL=C sort -u
}

# --- Namespaces of a test's own
# ------------------------------------------------------------------------------------

# need_apart PROBE: finds how to run a command in namespaces of its own, also of processes. All
# processes that are started there end with the first one, and the links go with the namespaces.
# Skips if the shell command PROBE fails there. Without root, a namespace of users may allow the
# same.
need_apart() {
    local reason command
    # ip is in /usr/sbin or /sbin, which not every PATH has.
    PATH=$PATH:/usr/sbin:/sbin
    for command in unshare nsenter setpriv ip; do
        has "$command" || skip "no $command on this machine"
    done
    apart=(unshare --net --pid --fork --kill-child --mount-proc)
    if ! reason=$("${apart[@]}" sh -ec "$1" 2>&1); then
        apart+=(--user --map-root-user)
        if ! "${apart[@]}" sh -ec "$1" >/dev/null 2>&1; then
            skip "network namespaces are not allowed here: ${reason##*$'\n'}"
        fi
    fi
}

# run_apart SECONDS EXTENSION PROGRAM [ARGUMENT...]: runs a program of PHP in the namespaces that
# need_apart has found. The first argument of the program is a folder of its own, which also has all
# temporary files. The program ends with this script, and at the latest after SECONDS.
run_apart() {
    local seconds=$1 extension=$2 program=$3 code=0
    shift 3
    apart_folder=$(mktemp -d "${TMPDIR:-/tmp}/redislock-apart.XXXXXX")
    apart_running=
    trap finish_apart EXIT
    trap 'exit 1' INT TERM HUP
    REDISLOCK_SO=$extension TMPDIR=$apart_folder setpriv --pdeathsig KILL "${apart[@]}" \
        timeout -k 10 "$seconds" php -n -d extension="$extension" "$program" "$apart_folder" "$@" &
    apart_running=$!
    wait "$apart_running" || code=$?
    apart_running=
    return "$code"
}

finish_apart() {
    [ -z "$apart_running" ] || kill -KILL "$apart_running" 2>/dev/null || true
    rm -rf "$apart_folder"
}

# --- Packages of the machine
# ----------------------------------------------------------------------------------

required_packages=()
optional_packages=()

# need_command COMMAND PACKAGE: the package is installed if there is no such command.
need_command() {
    has "$1" || required_packages+=("$2")
}

# want_command COMMAND PACKAGE: the same, but it may stay missing.
want_command() {
    has "$1" || optional_packages+=("$2")
}

# The version of the php on PATH, as "8.2"; nothing without one.
php_version() {
    has php || return 0
    php -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;'
}

# The php-config that belongs to the php on PATH, which need not be the distribution's default;
# nothing without.
php_config() {
    local tool version folder
    has php || return 0
    version=$(php_version)
    # The one beside it first: there may be two PHPs of one version.
    folder=$(dirname "$(command -v php)")
    for tool in "$folder"/php-config{"$version",} "php-config$version" php-config; do
        if has "$tool" && [[ $("$tool" --version) == "$version".* ]]; then
            command -v "$tool"
            return
        fi
    done
}

# The phpize beside it.
phpize() {
    local tool
    tool=$(php_config)
    tool=${tool/%php-config*/phpize${tool##*php-config}}
    [ ! -x "$tool" ] || echo "$tool"
}

need_compiler() {
    need_command make make
    need_command cc gcc
    need_command pkg-config pkg-config
    [ -f /usr/include/stdio.h ] || required_packages+=(libc6-dev)
}

# What the extension needs to be built, by the php on PATH or else by the distribution's own.
need_build_tools() {
    local version
    version=$(php_version)
    if [ -z "$version" ]; then
        required_packages+=(php-cli php-dev)
    elif [ -z "$(phpize)" ]; then
        required_packages+=("php$version-dev")
    fi
    need_compiler
    if ! has pkg-config || ! pkg-config --exists 'hiredis >= 0.14.0'; then
        required_packages+=(libhiredis-dev)
    fi
    if ! has pkg-config || ! pkg-config --exists 'openssl >= 1.1.1'; then
        required_packages+=(libssl-dev)
    fi
}

# For compiling ext/model in tests: their tokens are short, and copying them takes time; and they
# ask which branches were met.
# shellcheck disable=SC2034
readonly model_flags=(-DRL_WORDS_TEXT=39 -DRL_STORE_COUNTS_BRANCHES)

# For compiling ext/transport without phpize: what config.m4 finds.
transport_flags() {
    pkg-config --cflags hiredis
    if pkg-config --exists 'openssl >= 1.1.1'; then
        echo "-DRL_WITH_TLS $(pkg-config --cflags openssl)"
    fi
}

transport_libraries() {
    pkg-config --libs hiredis
    if pkg-config --exists 'openssl >= 1.1.1'; then
        pkg-config --libs openssl
    fi
}

# The php-fpm of the php on PATH. Without it the tests that need one are skipped.
want_fpm() {
    local version name PATH=$PATH:/usr/local/sbin:/usr/sbin
    version=$(php_version)
    for name in "php-fpm$version" "php-fpm${version/./}" php-fpm; do
        if has "$name" && [[ $("$name" -n -v) == "PHP $version".* ]]; then
            return
        fi
    done
    optional_packages+=("php$version-fpm")
}

# want_php_extension NAME: one of PHP's own that some tests load by themselves, for the php on PATH.
want_php_extension() {
    local version
    version=$(php_version)
    # shellcheck disable=SC2016 # the dollar is PHP's
    if [ -z "$version" ] || ! php -n -r '$name = $argv[1];
        $has = is_file(PHP_EXTENSION_DIR . "/$name.so") || extension_loaded($name);
        exit($has ? 0 : 1);' "$1"; then
        optional_packages+=("php$version-$1")
    fi
}

# The flags with which php -n has an extension; fails without it. phpredis may need others before
# it.
flags_of() {
    local flags
    for flags in "" "-d extension=$1" "-d extension=igbinary -d extension=$1" \
        "-d extension=igbinary -d extension=msgpack -d extension=$1"; do
        # shellcheck disable=SC2086  # the flags are words
        if php -n $flags -r "exit(extension_loaded('$1') ? 0 : 1);" >/dev/null 2>&1; then
            echo "$flags"
            return
        fi
    done
    return 1
}

# A port of 127.0.0.1 on which nothing listens now.
free_port() {
    # shellcheck disable=SC2016 # the dollar is PHP's
    php -n -r '$name = stream_socket_get_name(stream_socket_server("tcp://127.0.0.1:0"), false);
        echo substr($name, strrpos($name, ":") + 1);'
}

# What scripts/packages needs. Without it that script skips.
want_composer() {
    local name
    want_command composer composer
    want_command unzip unzip
    for name in xml mbstring redis; do
        want_php_extension "$name"
    done
}

need_server() {
    has redis-server || has valkey-server || required_packages+=(redis-server)
}

# PHP came with the packages, or was there before: it must be new enough, and its phpize must be
# there.
check_php() {
    has php || die "there is no php on PATH"
    php -n -r 'exit(PHP_VERSION_ID >= 80200 ? 0 : 1);' ||
        die "redislock needs PHP 8.2 or later, this is $(php -n -r 'echo PHP_VERSION;')"
    [ -n "$(phpize)" ] || die "there is no phpize for PHP $(php_version) on PATH"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_knows() {
    [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]
}

apt_update() {
    [ "${apt_is_updated:-no}" = no ] || return 0
    apt_is_updated=yes
    say "apt-get update"
    as_root apt-get -qq update >&2
}

# Servers that apt installs shall not be started: the scripts start their own, and leave no process
# behind. policy-rc.d is Debian's switch for that; an existing file stays as it is.
apt_install() (
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap 'as_root rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    say "apt-get install $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" \
        </dev/null >"$build_root/apt.log" 2>&1
)

# An apt configuration for APT_CONFIG, with all that apt writes and the list of sources in a folder
# of ours. The folder must have lists/partial, cache/archives/partial and parts.
apt_config() {
    printf '%s\n' "Dir::Etc::sourcelist \"$1/sources.list\";" \
        "Dir::Etc::sourceparts \"$1/parts\";" \
        "Dir::State::lists \"$1/lists\";" "Dir::Cache \"$1/cache\";" 'APT::Sandbox::User "";' \
        'Debug::NoLocking "true";' 'Acquire::http::Timeout "20";' 'Acquire::Retries "1";'
}

# Installs what need_* and want_* found missing. An optional package that apt does not know is left
# out.
install_packages() {
    local package known=()
    if [ ${#required_packages[@]} -eq 0 ] && [ ${#optional_packages[@]} -eq 0 ]; then
        return 0
    fi
    mkdir -p "$build_root"
    if ! has apt-get; then
        [ ${#required_packages[@]} -eq 0 ] ||
            die "this machine has no apt. Please install what these Debian packages hold:" \
                "${required_packages[*]} (useful too: ${optional_packages[*]:-nothing})"
        return 0
    fi
    if [ "$(id -u)" != 0 ] && ! has sudo; then
        [ ${#required_packages[@]} -eq 0 ] ||
            die "neither root nor sudo. Please have installed:" \
                "${required_packages[*]} ${optional_packages[*]:-}"
        return 0
    fi

    # A fresh machine has no lists at all; one with lists is only asked for new ones if something
    # must come.
    if { [ ${#required_packages[@]} -gt 0 ] || ! apt_knows apt; } && ! apt_update; then
        say "apt-get update failed: please mend the sources below /etc/apt or the way to them," \
            "or install by other means: ${required_packages[*]} (useful too: ${optional_packages[*]:-nothing})"
        [ ${#required_packages[@]} -eq 0 ] || exit 1
    fi
    for package in "${optional_packages[@]}"; do
        ! apt_knows "$package" || known+=("$package")
    done
    if [ $((${#required_packages[@]} + ${#known[@]})) -gt 0 ] &&
        ! apt_install "${required_packages[@]}" "${known[@]}"; then
        # Old lists name versions that the mirror no longer has.
        if ! apt_update || ! apt_install "${required_packages[@]}" "${known[@]}"; then
            tail -n 20 "$build_root/apt.log" >&2
            [ ${#required_packages[@]} -eq 0 ] ||
                die "apt-get could not install: ${required_packages[*]}"
            say "going on without: ${known[*]}"
        fi
    fi
    required_packages=()
    optional_packages=()
    hash -r
}

# --- Valkey from backports
# ------------------------------------------------------------------------------------

# Debian 12 has valkey-server in its backports only. This unpacks it below .build without installing
# it, by an apt configuration of its own, so that the machine's sources stay as they are. Puts it on
# PATH, or fails.
use_backported_valkey() {
    local folder=$build_root/valkey codename uri
    has apt-get && has dpkg || return 1
    if [ ! -x "$folder/unpacked/usr/bin/valkey-server" ]; then
        codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
        grep -qx 'ID=debian' /etc/os-release && [ -n "$codename" ] || return 1
        # The mirror is the one that the machine itself uses.
        # shellcheck disable=SC2016 # the dollars are apt's
        uri=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
            sed -n "s/^$codename //p" | head -n 1)
        [ -n "$uri" ] || return 1
        rm -rf "$folder"
        mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/parts" \
            "$folder/unpacked"
        echo "deb $uri $codename-backports main" >"$folder/sources.list"
        apt_config "$folder" >"$folder/apt.conf"
        (
            cd "$folder"
            export APT_CONFIG=$folder/apt.conf
            apt-get -qq update
            apt-get -qq download valkey-server valkey-tools
            for package in *.deb; do
                dpkg -x "$package" unpacked
            done
        ) >"$build_root/valkey.log" 2>&1 || return 1
    fi
    # Its libraries are those of redis-server, which is installed; if one is missing after all, do
    # without.
    if ! ldd "$folder/unpacked/usr/bin/valkey-server" >"$build_root/valkey.log" 2>&1 ||
        grep -q 'not found' "$build_root/valkey.log"; then
        return 1
    fi
    PATH=$folder/unpacked/usr/bin:$PATH
    export PATH
}
