import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;

/**
 * The container image of this version, as `npm run image` and podman name it. `localhost` is no registry: nodes that do not
 * have the image never take one from a stranger.
 */
export const defaultImage = `localhost/attune:${version}`;
