import type { ProfileSpec, Tuned } from "./api.ts";
import type { Possible } from "./boot/boot-arguments.ts";
import { type PossibleArguments, possibleArguments } from "./boot/possible-arguments.ts";
import { inputsOf } from "./node-profile.ts";
import { ProfileTexts } from "./profile-texts.ts";

/** More than a cluster has profiles in force. */
const mostProfiles = 100;

/** What a controller keeps from one decision to the next: most follow the report of a node, and no text has changed. */
export class Remembered {
  readonly #scopes = new Map<string, { readonly key: string | undefined; readonly texts: ProfileTexts }>();
  readonly #possible = new Map<string, PossibleArguments>();

  /** The same object while no text of the scope has changed, with all that was found in them. */
  texts(tuneds: readonly Tuned[], onHosts: readonly string[], scope = ""): ProfileTexts {
    const versions = tuneds.map(versionOf);
    const key = versions.includes(undefined) ? undefined : JSON.stringify([versions, [...new Set(onHosts)].toSorted()]);
    const known = this.#scopes.get(scope);
    if (known && key !== undefined && key === known.key) return known.texts;
    const texts = new ProfileTexts(tuneds, "all", onHosts, known?.texts);
    this.#scopes.set(scope, { key, texts });
    return texts;
  }

  /** Forgets all other scopes. */
  keep(scopes: readonly string[]): void {
    const kept = new Set(scopes);
    for (const scope of this.#scopes.keys()) if (!kept.has(scope)) this.#scopes.delete(scope);
  }

  /** Computed once for each Profile. */
  readonly possible: Possible = (spec: ProfileSpec) => {
    const inputs = inputsOf(spec);
    const found = this.#possible.get(inputs) ?? possibleArguments(spec);
    this.#possible.delete(inputs);
    this.#possible.set(inputs, found);
    const [oldest] = this.#possible.keys();
    if (oldest !== undefined && this.#possible.size > mostProfiles) this.#possible.delete(oldest);
    return found;
  };
}

/** The generation changes with the spec; an object without a uid comes from no server. */
function versionOf({ metadata: { name, uid, generation } }: Tuned): string | undefined {
  return uid === undefined || generation === undefined ? undefined : `${name} ${uid} ${generation}`;
}
