import { parseAllDocuments } from 'yaml';
import { ApiError, type Cluster, type Resource } from '../../../schemas/wire/cluster.ts';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';

/**
 * How an engine writes: `client` is what Argo CD does by default, a patch from three states; `server` is what Flux does, and Argo CD
 * with `ServerSideApply=true`; `replace` is `Replace=true`.
 */
export type Style = (typeof STYLES)[number];
export const STYLES = ['client', 'server', 'replace'] as const;

/** A git state: text by path. */
export type Files = ReadonlyMap<string, string>;

/** What is deleted first of what git has no more. */
export type PruneOrder = 'plans first' | 'targets first';

export interface SyncOptions {
  /** Only files whose path begins so are applied; nothing is pruned then. */
  only?: 'plans/' | 'manifests/';
  prune?: PruneOrder | false;
}

export interface Engine {
  /** Applies a git state, and prunes what it has applied before and git has no more. */
  sync(files: Files, options?: SyncOptions): Promise<void>;
  /** Deletes what it has applied before and git has no more; whether there was something. */
  prune(files: Files, order: PruneOrder): Promise<boolean>;
  /** What a sync would prune, by name. */
  extraneous(files: Files): Promise<string[]>;
}

/** The field managers of the two engines, by how they write. */
export const MANAGERS: Readonly<Record<Style, string>> = {
  client: 'argocd-controller',
  server: 'kustomize-controller',
  replace: 'argocd-controller',
};

const TRACKING = 'argocd.argoproj.io/tracking-id';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
/** The kinds that the plays have in git. */
const known: readonly Resource[] = [resources.CloneSet, resources.RolloutPlan, configMaps];

/** Applies one object as an engine does. */
export function createApply(
  cluster: Cluster,
  style: Style,
): (resource: Resource, object: KubeObject) => Promise<void> {
  const fieldManager = MANAGERS[style];
  const apply = async (resource: Resource, object: KubeObject): Promise<void> => {
    const at = placeOf(object);
    if (style === 'server') {
      const body = object as unknown as JsonObject;
      await cluster.patch(resource, at, { type: 'apply', body, force: true }, { fieldManager });
      return;
    }
    const recorded = style === 'client' ? withLastApplied(object) : object;
    const live = await liveOf(cluster, resource, at);
    if (live === undefined) await cluster.create(resource, recorded, { fieldManager });
    else if (style === 'client') {
      const body = threeWay(lastAppliedOf(live), recorded as unknown as JsonObject, live as never);
      if (Object.keys(body).length > 0)
        await cluster.patch(resource, at, { type: 'merge', body }, { fieldManager });
    } else {
      const { resourceVersion = '' } = live.metadata;
      const metadata = { ...recorded.metadata, resourceVersion };
      try {
        await cluster.replace(resource, { ...recorded, metadata }, { fieldManager });
      } catch (error) {
        // The runtime has written the status meanwhile: the engine tries again.
        if (!(error instanceof ApiError) || error.status.code !== 409) throw error;
        await apply(resource, object);
      }
    }
  };
  return apply;
}

type Place = { name: string; namespace?: string };

function placeOf({ metadata: { name, namespace } }: KubeObject): Place {
  return { name, ...(namespace !== undefined && { namespace }) };
}

async function liveOf(cluster: Cluster, resource: Resource, at: Place): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(resource, at);
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    throw error;
  }
}

/**
 * An engine for one namespace, without a memory of its own: what it has applied is marked in the cluster, so that another one goes
 * on where this one ended.
 */
export function createEngine(cluster: Cluster, style: Style, namespace: string): Engine {
  const apply = createApply(cluster, style);

  async function leftover(files: Files): Promise<[Resource, KubeObject][]> {
    const wanted = new Set(objectsOf(files, namespace).map(idOf));
    const lists = await Promise.all(
      known.map(async (resource) =>
        (await cluster.list(resource, { namespace })).items.map((item): [Resource, KubeObject] => [
          resource,
          { ...item, kind: resource.kind },
        ]),
      ),
    );
    return lists
      .flat()
      .filter(([, { metadata }]) => metadata.annotations?.[TRACKING] !== undefined)
      .filter(([, object]) => object.metadata.deletionTimestamp === undefined && !wanted.has(idOf(object)))
      .filter(([, { metadata }]) => metadata.annotations?.[SYNC_OPTIONS] !== 'Prune=false');
  }

  const engine: Engine = {
    async sync(files, { only, prune = 'plans first' } = {}) {
      const chosen = new Map([...files].filter(([path]) => only === undefined || path.startsWith(only)));
      for (const object of objectsOf(chosen, namespace)) await apply(resourceOf(object), object);
      if (only === undefined && prune !== false) await engine.prune(files, prune);
    },
    async prune(files, order) {
      const rank = ({ kind }: KubeObject): number => Number(kind !== 'RolloutPlan');
      const all = (await leftover(files)).sort(([, a], [, b]) => rank(a) - rank(b));
      for (const [resource, { metadata }] of order === 'plans first' ? all : all.reverse())
        await cluster.delete(
          resource,
          { namespace, name: metadata.name },
          { propagationPolicy: 'Background' },
        );
      return all.length > 0;
    },
    extraneous: async (files) => (await leftover(files)).map(([, { metadata }]) => metadata.name),
  };
  return engine;
}

/** The objects of a git state as the engine applies them: marked, and in its namespace. */
export function objectsOf(files: Files, namespace: string): KubeObject[] {
  return [...files]
    .filter(([path]) => /^(manifests|plans)\/.*\.yaml$/.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, text]) => parseAllDocuments(text).map((each) => each.toJS() as KubeObject | null))
    .filter((object) => object !== null)
    .map((object) => {
      const annotations = { ...object.metadata.annotations, [TRACKING]: `shop:${idOf(object)}` };
      return { ...object, metadata: { ...object.metadata, namespace, annotations } };
    });
}

export function resourceOf(object: KubeObject): Resource {
  const found = known.find(({ kind }) => kind === object.kind);
  if (found === undefined) throw new Error(`the plays have no ${object.kind} in git`);
  return { ...found, version: object.apiVersion.split('/').at(-1) ?? found.version };
}

function idOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

function withLastApplied(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations, [LAST_APPLIED]: `${JSON.stringify(object)}\n` };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function lastAppliedOf({ metadata }: KubeObject): JsonObject {
  return JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? '{}') as JsonObject;
}

/**
 * The merge patch of kubectl for a custom resource: sets what differs from the wanted state, and removes what was applied before and
 * is wanted no more. What others have added stays.
 */
export function threeWay(before: JsonObject, wanted: JsonObject, live: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(before)) if (!(key in wanted) && key in live) patch[key] = null;
  for (const [key, value] of Object.entries(wanted)) {
    const there = live[key];
    if (isObject(value) && isObject(there)) {
      const earlier = before[key];
      const inner = threeWay(isObject(earlier) ? earlier : {}, value, there);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (value !== undefined && !isEqual(value, there)) patch[key] = value;
  }
  return patch;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, at) => isEqual(each, b[at]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => isEqual(a[key], b[key]));
}
