/** The outputs of a bundle: which source each name is written from. */
export class OutputNames {
  #sources = new Map();

  /** Throws if the name belongs to another source: the second output would replace the first. */
  claim(name, source) {
    const other = this.#sources.get(name);
    if (other !== undefined && other !== source)
      throw new Error(`bundle: ${other} and ${source} would both be written as "${name}": rename one of them`);
    this.#sources.set(name, source);
  }
}
