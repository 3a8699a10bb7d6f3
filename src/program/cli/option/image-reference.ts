const host = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$/;
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tag = /^\w[\w.-]{0,127}$/;
const digest = /^sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$/;
/** Container runtimes refuse longer names. */
const longest = 255;

/**
 * A container image as runtimes accept it: `[HOST[:PORT]/]NAME[:TAG][@DIGEST]`. A kubelet reports a wrong one only as
 * InvalidImageName of each pod.
 */
export function imageReference(value: string, flag: string): string {
  const problem = problemOf(value);
  if (problem !== undefined) throw new Error(`${flag} ${value}: ${problem}`);
  return value;
}

function problemOf(value: string): string | undefined {
  const [tagged = "", hash, ...more] = value.split("@");
  if (more.length > 0 || (hash !== undefined && !digest.test(hash)))
    return "a digest has the form @sha256: and 64 digits of 0-9 and a-f";
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  if (colon !== -1 && !tag.test(tagged.slice(colon + 1)))
    return "a tag has up to 128 letters, digits, dots, dashes and underscores";
  const name = colon === -1 ? tagged : tagged.slice(0, colon);
  const [first = "", ...rest] = name.split("/");
  // As runtimes decide whether a name begins with a registry.
  const hasHost = rest.length > 0 && (/[.:A-Z]/.test(first) || first === "localhost");
  if (hasHost && !host.test(first)) return `${first} is not a host name with an optional port`;
  if (name.length > longest || !(hasHost ? rest : [first, ...rest]).every((part) => component.test(part)))
    return "not an image such as registry.example/attune:1.0 or registry.example/attune@sha256:…";
  return undefined;
}
