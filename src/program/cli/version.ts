import manifest from "../../../package.json" with { type: "json" };

export const version: string = manifest.version;

/** The container image of this version. */
export const defaultImage = `attune:${version}`;
