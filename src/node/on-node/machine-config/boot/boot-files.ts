/** Files that boot loaders and their tools read, on any node. */
export const bootFiles: readonly string[] = [
  "/etc/default/grub",
  "/etc/default/grub.d/*",
  "/boot/grub/grub.cfg",
  "/boot/grub2/grub.cfg",
  "/boot/grub2/grubenv",
  // A link that OSTree replaces with every deployment.
  "/boot/loader",
  "/boot/loader/entries/*",
  "/efi/loader/entries/*",
  "/boot/efi/loader/entries/*",
  "/etc/kernel/cmdline",
];
