# To be sourced: programs for arm64 on another machine, by qemu-user. Needs root.
misc=/proc/sys/fs/binfmt_misc
qemu_name=qemu-unitproof-$$ # several scripts may run at the same time
qemu_registered=

# register_qemu makes the kernel start programs for arm64 with qemu, in all systems of this machine.
register_qemu() {
  local qemu
  qemu=$(command -v qemu-aarch64-static) ||
    { echo "programs for arm64 need apt-get install qemu-user-static" >&2; return 1; }
  [ -e $misc/register ] || mount -t binfmt_misc binfmt_misc $misc
  local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  # P: a program sees its own first argument, by which unitproof knows that it is a sandbox's stage. F: the emulator
  # is opened now, and is static, so that it works in other roots.
  echo ":$qemu_name:M::$magic:$mask:$qemu:PF" >$misc/register
  qemu_registered=yes
}

forget_qemu() {
  if [ -n "$qemu_registered" ]; then echo -1 >"$misc/$qemu_name"; fi
}
