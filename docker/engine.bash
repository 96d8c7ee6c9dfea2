# The containers of docker/test: by Docker where an engine is there, else by buildah and podman.
# Sourced; knows run_id, image, folder and memory_limit, and adds to untested.

containers=()
volumes=()
networks=()
# Docker mounts nothing on /tmp of a read-only root.
podman_options=(--read-only-tmpfs=false --ulimit nofile=20000:20000 --ulimit nproc=1024:1024)

choose_engine() {
  if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
    engine=docker
  elif command -v podman >/dev/null && command -v buildah >/dev/null; then
    engine=podman
    untested+=('the image under a Docker engine' 'the health check on a timer')
  else
    fail 'needs a Docker engine, or podman and buildah'
  fi
  printf 'engine: %s\n' "$(engine --version)"
}

# What the build takes from this machine where no registry and no package host is reached: the
# toolchain, and the folders that its git reads other addresses from.
add_mounts() {
  local toolchain key base address
  toolchain=$(command -v swift) || fail 'stand-ins need the toolchain of Swift on this machine'
  toolchain=$(readlink -f "$toolchain")
  mounts=(--volume "${toolchain%/usr/bin/*}:/toolchain:ro")
  while read -r key address; do
    base=${key#url.}
    base=${base%.insteadof}
    [ -d "$base" ] || continue
    git config --file "$folder/gitconfig" --add "url.$base.insteadOf" "$address"
    mounts+=(--volume "$base:$base:ro")
  done < <(git config --get-regexp '^url\..*\.insteadof$')
  [ ! -f "$folder/gitconfig" ] || mounts+=(--volume "$folder/gitconfig:/etc/gitconfig:ro")
}

build() {
  local options=(--tag "$image" --file docker/Dockerfile --build-arg VERSION=test) mounts=()
  local bases=(swift:6.3-bookworm debian:bookworm-slim) base
  if [ "$engine" = docker ]; then
    docker build "${options[@]}" . >"$folder/build.log" 2>&1
    return
  fi
  for base in "${bases[@]}"; do
    ! podman image exists "docker.io/library/$base" || continue
    docker/stand-ins
    untested+=('the official base images: on local stand-ins instead')
    for base in "${bases[@]}"; do
      options+=(--build-context "$base=docker-image://localhost/tsugi-stand-in/$base")
    done
    add_mounts
    break
  done
  # Docker's format: the other one drops HEALTHCHECK.
  buildah bud --isolation chroot --format docker --pull=never --layers "${mounts[@]}" \
    "${options[@]}" . >"$folder/build.log" 2>&1
}

engine() {
  if [ "$engine" = docker ]; then docker "$@"; else podman --runtime runc "$@"; fi
}

# Runs an image hardened, as the compose files do: IMAGE NAME OPTIONS... -- ARGUMENTS...
run_image() {
  local image=$1 name=$run_id-$2 options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  [ "$engine" = docker ] || options+=("${podman_options[@]}")
  containers+=("$name")
  engine run --detach --name "$name" --read-only --cap-drop ALL --memory "$memory_limit" \
    --security-opt no-new-privileges --pids-limit 128 "${options[@]}" "$image" "$@" \
    >/dev/null 2>"$folder/run.log" || { cat "$folder/run.log" >&2; return 1; }
}

# Runs Tsugi so: NAME VOLUME OPTIONS... -- ARGUMENTS...
run() { run_image "$image" "$1" --volume "$run_id-$2:/data" "${@:3}"; }

volume() { volumes+=("$run_id-$1"); engine volume create "$run_id-$1" >/dev/null; }
inside() { engine exec "$run_id-$1" "${@:2}"; }
state() { engine inspect --format "{{.State.$2}}" "$run_id-$1"; }
logs() { engine logs "$run_id-$1" 2>&1; }
origin() { printf 'http://%s\n' "$(engine port "$run_id-$1" 8080 | head -1)"; }
get() { curl --silent --show-error --max-time 10 "$@"; }

finish() {
  local name index
  # The last first: it may live in the network of an earlier one.
  for ((index = ${#containers[@]} - 1; index >= 0; index--)); do
    engine rm --force "${containers[index]}" >/dev/null 2>&1 || true
  done
  for name in "${volumes[@]}"; do engine volume rm "$name" >/dev/null 2>&1 || true; done
  for name in "${networks[@]}"; do engine network rm "$name" >/dev/null 2>&1 || true; done
  engine rmi "$image" >/dev/null 2>&1 || true
  rm -rf "$folder"
}
