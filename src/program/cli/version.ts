import manifest from "../../../package.json" with { type: "json" };

export const version: string = manifest.version;

/** What agents run where nothing else is said. */
export const defaultImage = `attune:${version}`;
