import { expect, test } from "vitest";
import { chooseEntry } from "./grub-config.ts";

const entry = (title: string, id: string): string => `menuentry '${title}' --class os $menuentry_id_option '${id}' {
  if [ x$grub_platform = xxen ]; then insmod xzio; fi
  linux /vmlinuz name=${id}
}
`;
const config = (chosen: string): string => `
function gfxmode {
  set gfxpayload="\${1}"
}
set default="${chosen}"
${entry("Debian", "simple")}
submenu 'Advanced options for Debian' $menuentry_id_option 'advanced' {
${entry("Debian 2", "two")}
${entry("Debian 1", "one")}
}
${entry("Memory test", "memory")}
`;

// As GRUB counts: a submenu is one entry of the list it is in.
test.each([
  ["0", "simple"],
  ["2", "memory"],
  ["3", "custom"],
  ["1>1", "one"],
  ["advanced>two", "two"],
  ["Advanced options for Debian>Debian 1", "one"],
  ["1", "two"],
  ["one", "simple"],
  ["1>9", "simple"],
  ["", "simple"],
])("default %j starts %s", (chosen, id) => {
  const files = { config: config(chosen), custom: entry("Own", "custom"), environment: "" };
  expect(chooseEntry(files).entry).toMatchObject({ id, command: `/vmlinuz name=${id}` });
});

test("without an entry there is nothing to start", () => {
  expect(chooseEntry({ config: "set default=0\n", custom: "", environment: "" }).entry).toBeUndefined();
});
