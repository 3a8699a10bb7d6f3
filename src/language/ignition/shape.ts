/** The type of a field. Reading and merging follow it. */
export type Shape = { readonly type: "text" | "flag" | "integer" } | ObjectShape | ListShape;

export interface ObjectShape {
  readonly type: "object";
  readonly fields: Readonly<Record<string, Shape>>;
  /** A later object that has one of these replaces the earlier one as a whole, any other changes nothing. */
  readonly decidedBy?: readonly string[];
  /** Lists whose items exclude each other: a later item removes the earlier one of the same key from the other lists. */
  readonly exclusive?: readonly string[];
}

export interface ListShape {
  readonly type: "list";
  readonly items: Shape;
  /** The field by which two items are the same; texts are compared themselves. */
  readonly key?: string;
  /** Items may be equal: a later list is appended. */
  readonly repeats?: boolean;
}

const text = { type: "text" } as const;
const flag = { type: "flag" } as const;
const integer = { type: "integer" } as const;
const texts: ListShape = { type: "list", items: text };
/** The order and number of options for a command count. */
const options: ListShape = { type: "list", items: text, repeats: true };

function object(fields: ObjectShape["fields"]): ObjectShape {
  return { type: "object", fields };
}

function keyed(key: string, fields: ObjectShape["fields"]): ListShape {
  return { type: "list", items: object(fields), key };
}

/** Compression and hash belong to the source. */
const resource: ObjectShape = {
  ...object({
    source: text,
    compression: text,
    httpHeaders: keyed("name", { name: text, value: text }),
    verification: object({ hash: text }),
  }),
  decidedBy: ["source"],
};
const resources: ListShape = { type: "list", items: resource, key: "source" };

/** An account has an id or a name. */
const account: ObjectShape = { ...object({ id: integer, name: text }), decidedBy: ["id", "name"] };
const node = { path: text, user: account, group: account, overwrite: flag };

const user = {
  name: text,
  passwordHash: text,
  sshAuthorizedKeys: texts,
  uid: integer,
  gecos: text,
  homeDir: text,
  noCreateHome: flag,
  primaryGroup: text,
  groups: texts,
  noUserGroup: flag,
  system: flag,
  noLogInit: flag,
  shell: text,
  shouldExist: flag,
};
const group = { name: text, gid: integer, passwordHash: text, system: flag, shouldExist: flag };

const partition = {
  number: integer,
  label: text,
  sizeMiB: integer,
  startMiB: integer,
  typeGuid: text,
  guid: text,
  wipePartitionEntry: flag,
  shouldExist: flag,
  resize: flag,
};
const filesystem = {
  device: text,
  path: text,
  format: text,
  wipeFilesystem: flag,
  label: text,
  uuid: text,
  options,
  mountOptions: options,
};
const luks = {
  name: text,
  device: text,
  keyFile: resource,
  label: text,
  uuid: text,
  options,
  openOptions: options,
  wipeVolume: flag,
  discard: flag,
  cex: object({ enabled: flag }),
  clevis: object({
    tang: keyed("url", { url: text, thumbprint: text, advertisement: text }),
    tpm2: flag,
    threshold: integer,
    custom: object({ pin: text, config: text, needsNetwork: flag }),
  }),
};

const ignition = object({
  version: text,
  config: object({ merge: resources, replace: resource }),
  timeouts: object({ httpResponseHeaders: integer, httpTotal: integer }),
  security: object({ tls: object({ certificateAuthorities: resources }) }),
  proxy: object({ httpProxy: text, httpsProxy: text, noProxy: texts }),
});

const unitFields = { name: text, contents: text, dropins: keyed("name", { name: text, contents: text }) };

/** Version 3.5.0. */
export const shape3: ObjectShape = object({
  ignition,
  kernelArguments: {
    ...object({ shouldExist: texts, shouldNotExist: texts }),
    exclusive: ["shouldExist", "shouldNotExist"],
  },
  passwd: object({ users: keyed("name", user), groups: keyed("name", group) }),
  storage: {
    ...object({
      files: keyed("path", {
        ...node,
        mode: integer,
        contents: resource,
        append: { type: "list", items: resource, repeats: true },
      }),
      directories: keyed("path", { ...node, mode: integer }),
      links: keyed("path", { ...node, target: text, hard: flag }),
      disks: keyed("device", { device: text, wipeTable: flag, partitions: keyed("number", partition) }),
      filesystems: keyed("device", filesystem),
      raid: keyed("name", { name: text, level: text, devices: texts, spares: integer, options }),
      luks: keyed("name", luks),
    }),
    exclusive: ["files", "directories", "links"],
  },
  systemd: object({ units: keyed("name", { ...unitFields, enabled: flag, mask: flag }) }),
});

/** In version 2 every entry names its file system. */
const node2 = { ...node, filesystem: text };
const anything = object({});

/** Version 2.2.0, with the field `enable` of units that 2.0 has. */
export const shape2: ObjectShape = object({
  ignition: object({
    version: text,
    config: object({ append: resources, replace: resource }),
    timeouts: object({ httpResponseHeaders: integer, httpTotal: integer }),
    security: object({ tls: object({ certificateAuthorities: resources }) }),
  }),
  networkd: object({ units: { type: "list", items: anything } }),
  passwd: object({ users: keyed("name", { ...user, create: anything }), groups: keyed("name", group) }),
  storage: object({
    files: keyed("path", { ...node2, mode: integer, contents: resource, append: flag }),
    directories: keyed("path", { ...node2, mode: integer }),
    links: keyed("path", { ...node2, target: text, hard: flag }),
    disks: { type: "list", items: anything },
    filesystems: { type: "list", items: anything },
    raid: { type: "list", items: anything },
  }),
  systemd: object({ units: keyed("name", { ...unitFields, enable: flag, enabled: flag, mask: flag }) }),
});
