import type { Client } from "../../cluster/kube/client.ts";
import type { CommandResult, FileBytes, FileStat, FileText, Host, Outcome } from "../../node/host/host.ts";
import { type MachineFile, readMachine } from "./read-machine.ts";

/** The files of a virtual node, read through its cluster. It refuses writes and programs. */
export class MachineHost implements Host {
  readonly #client: Client;
  readonly #node: string;
  readonly #signal: AbortSignal;
  /** Each file is read once: all values are of the same moment, or nearly. */
  readonly #known = new Map<string, Promise<MachineFile>>();

  constructor(client: Client, node: string, signal: AbortSignal) {
    this.#client = client;
    this.#node = node;
    this.#signal = signal;
  }

  async read(path: string): Promise<FileText> {
    const file = await this.#file(path);
    return file.type === "found" && file.text !== undefined ? { type: "text", text: file.text } : { type: "missing" };
  }

  async readBytes(path: string): Promise<FileBytes> {
    const file = await this.read(path);
    return file.type === "text" ? { type: "bytes", bytes: new TextEncoder().encode(file.text) } : file;
  }

  async stat(path: string): Promise<FileStat> {
    const file = await this.#file(path);
    if (file.type === "missing") return file;
    return { type: file.names ? "directory" : "file", mode: 0, uid: 0, gid: 0 };
  }

  async list(path: string): Promise<string[]> {
    const file = await this.#file(path);
    return file.type === "found" ? [...(file.names ?? [])] : [];
  }

  async real(path: string): Promise<string> {
    const file = await this.#file(path);
    return file.type === "found" ? (file.real ?? path) : path;
  }

  async run([program = ""]: readonly string[]): Promise<CommandResult> {
    return { type: "failed", message: `${program} cannot be run on a virtual node from here` };
  }

  write = refused;
  replace = refused;
  placeDirectory = refused;
  placeLink = refused;
  remove = refused;
  prune = refused;

  #file(path: string): Promise<MachineFile> {
    const known = this.#known.get(path);
    if (known) return known;
    const read = readMachine(this.#client, { node: this.#node, path, signal: this.#signal });
    this.#known.set(path, read);
    return read;
  }
}

async function refused(path: string): Promise<Outcome> {
  return { type: "failed", code: "EROFS", message: `${path}: this view of the node is read-only` };
}
