import { newBudget } from "../../tuned/budget.ts";
import { Findings } from "../../tuned/findings.ts";
import { type ChainLink, loadChain, type ProfileLayers } from "../../tuned/load-chain.ts";
import { parseProfile, type ParsedProfile } from "../../tuned/parse-profile.ts";
import { type Answer, type Answers, type Probe, probeKey } from "../../tuned/probe.ts";
import type { Problem } from "../../tuned/problem.ts";
import { baseProfiles, baseTexts } from "../../tuned/profiles/base-profiles.ts";
import type { Place } from "./search-path.ts";

export interface Chain {
  /** Ancestors first. */
  readonly links: readonly ChainLink[];
  /** What had to be asked to know them. */
  readonly answers: Answers;
  readonly problems: readonly Problem[];
}

type Ask = (probes: readonly Probe[]) => Promise<readonly (readonly [string, Answer])[]>;

/** Includes that depend on answers may raise further questions, but no profile asks this many in turn. */
const mostRounds = 100;

/** The profiles of a node, by name in layers. A file is read when something includes it: most never are. */
export class ProfileLibrary {
  readonly #layers: Map<string, ParsedProfile>[];
  readonly #unread = new Map<ParsedProfile, { place: Place; name: string; layer: Map<string, ParsedProfile> }>();
  readonly #texts = new Map<string, string>();

  private constructor() {
    this.#layers = [new Map(baseProfiles())];
  }

  static async open(places: readonly Place[]): Promise<ProfileLibrary> {
    const library = new ProfileLibrary();
    const listed = await Promise.all(places.map(({ host, directory }) => host.list(directory)));
    for (const [index, place] of places.entries()) {
      const layer = new Map<string, ParsedProfile>();
      for (const name of listed[index] ?? []) {
        const unread: ParsedProfile = { file: fileOf(place, name), sections: [], problems: [] };
        layer.set(name, unread);
        library.#unread.set(unread, { place, name, layer });
      }
      library.#layers.push(layer);
    }
    return library;
  }

  /** Lowest first. Only profiles of chains that were asked for are more than names. */
  get layers(): ProfileLayers {
    return this.#layers;
  }

  /** The profiles that others by these names include, all of them read. */
  async chain(names: readonly string[], ask: Ask): Promise<Chain> {
    const answers = new Map<string, Answer>();
    for (let round = 0; ;) {
      const findings = new Findings();
      const context = { answers, variables: new Map<string, string>(), budget: newBudget() };
      const links = loadChain(names, this.#layers, context, findings);
      const unread = links.filter(({ profile }) => this.#unread.has(profile));
      if (unread.length > 0) {
        await Promise.all(unread.map(({ profile }) => this.#read(profile)));
        continue;
      }
      const open = findings.probes().filter((probe) => !answers.has(probeKey(probe)));
      const told = open.length === 0 || round++ === mostRounds ? [] : await ask(open);
      if (told.length === 0) return { links, answers, problems: findings.problems };
      for (const [key, answer] of told) answers.set(key, answer);
    }
  }

  /** Every profile there is, lowest layer first. */
  async all(): Promise<ProfileLayers> {
    await Promise.all([...this.#unread.keys()].map((profile) => this.#read(profile)));
    return this.#layers;
  }

  /** As it is written; undefined for a file that could not be read. */
  text(profile: ParsedProfile): string | undefined {
    const own = this.#texts.get(profile.file);
    if (own !== undefined) return own;
    for (const [name, base] of baseProfiles()) if (base === profile) return baseTexts().get(name);
    return undefined;
  }

  async #read(unread: ParsedProfile): Promise<void> {
    const of = this.#unread.get(unread);
    if (!of) return;
    const { place, name, layer } = of;
    const file = fileOf(place, name);
    const found = await place.host.read(file);
    this.#unread.delete(unread);
    // A folder of scripts, or a file beside the profiles.
    if (found.type === "missing") layer.delete(name);
    else if (found.type === "failed")
      layer.set(name, { file, sections: [], problems: [{ file, message: found.message }] });
    else {
      this.#texts.set(file, found.text);
      layer.set(name, parseProfile(found.text, file));
    }
  }
}

function fileOf({ directory }: Place, name: string): string {
  return `${directory === "/" ? "" : directory}/${name}/tuned.conf`;
}
