import type { FileText } from "../../../node/host/host.ts";
import { newBudget } from "../../../language/tuned/budget.ts";
import { Findings } from "../../../language/tuned/findings.ts";
import { type ChainLink, loadChain, type ProfileLayers } from "../../../language/tuned/chain/load-chain.ts";
import { parseProfile, type ParsedProfile } from "../../../language/tuned/text/parse-profile.ts";
import { type Answer, type Answers, type Probe, probeKey } from "../../../language/tuned/probe.ts";
import type { Problem } from "../../../language/tuned/problem.ts";
import { baseDirectory, baseTexts } from "../../../language/tuned/profiles/base-profiles.ts";
import type { Place } from "./search-path.ts";

export interface Chain {
  /** Included profiles first. */
  readonly links: readonly ChainLink[];
  /** The answers of the node that includes depend on. */
  readonly answers: Answers;
  readonly problems: readonly Problem[];
}

type Ask = (probes: readonly Probe[]) => Promise<readonly (readonly [string, Answer])[]>;

/** An include may depend on an answer, and lead to further questions. No real profile needs this many rounds. */
const maxRounds = 100;

type Layer = Map<string, ParsedProfile>;

/** A profile whose file has not been read yet. */
interface Unread {
  readonly name: string;
  readonly layer: Layer;
  read(): Promise<FileText>;
}

/** The profiles of a node, in one layer for each folder. A file is read only when a profile includes it. */
export class ProfileLibrary {
  readonly #layers: Layer[] = [];
  readonly #unread = new Map<ParsedProfile, Unread>();
  readonly #texts = new Map<string, string>();

  private constructor() {
    const texts = baseTexts();
    this.#add(baseDirectory, [...texts.keys()], (_, name) =>
      Promise.resolve({ type: "text", text: texts.get(name) ?? "" }),
    );
  }

  static async open(places: readonly Place[]): Promise<ProfileLibrary> {
    const library = new ProfileLibrary();
    const listed = await Promise.all(places.map(({ host, directory }) => host.list(directory)));
    for (const [index, { host, directory }] of places.entries())
      library.#add(directory, listed[index] ?? [], (file) => host.read(file));
    return library;
  }

  #add(directory: string, names: readonly string[], read: (file: string, name: string) => Promise<FileText>): void {
    const layer: Layer = new Map();
    for (const name of names) {
      const file = `${directory === "/" ? "" : directory}/${name}/tuned.conf`;
      const unread: ParsedProfile = { file, sections: [], problems: [] };
      layer.set(name, unread);
      this.#unread.set(unread, { name, layer, read: () => read(file, name) });
    }
    this.#layers.push(layer);
  }

  /** A later layer wins. Only profiles of chains that were asked for have been read. */
  get layers(): ProfileLayers {
    return this.#layers;
  }

  /** The profiles of these names and all that they include. */
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
      const answered = open.length === 0 || round++ === maxRounds ? [] : await ask(open);
      if (answered.length === 0) return { links, answers, problems: findings.problems };
      for (const [key, answer] of answered) answers.set(key, answer);
    }
  }

  /** All profiles, one map for each layer. */
  async all(): Promise<ProfileLayers> {
    await Promise.all([...this.#unread.keys()].map((profile) => this.#read(profile)));
    return this.#layers;
  }

  /** The text of the file; undefined if it could not be read. */
  text({ file }: ParsedProfile): string | undefined {
    return this.#texts.get(file);
  }

  async #read(profile: ParsedProfile): Promise<void> {
    const unread = this.#unread.get(profile);
    if (!unread) return;
    const { name, layer } = unread;
    const { file } = profile;
    const found = await unread.read();
    this.#unread.delete(profile);
    // Not a profile: a folder of scripts, or a file beside the profiles.
    if (found.type === "missing") layer.delete(name);
    else if (found.type === "failed")
      layer.set(name, { file, sections: [], problems: [{ file, message: found.message }] });
    else {
      this.#texts.set(file, found.text);
      layer.set(name, parseProfile(found.text, file));
    }
  }
}
