import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { applyDefaults } from '../schema/default.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { groupResource, refuse, type FieldError } from './errors.ts';
import type { NameRule } from './metadata.ts';
import type { SelectableFields } from './selector.ts';

/** Where a kind keeps what the scale subresource shows. */
export interface ScalePaths {
  specReplicas: string[];
  statusReplicas: string[];
  labelSelector?: string[];
}

/** A column of `kubectl get`, as a definition's additionalPrinterColumns have it. */
export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  /** 0 is always shown, more only with `-o wide`. */
  priority?: number;
  jsonPath: string;
}

export interface ServedVersion {
  version: string;
  /**
   * What fields there are. Of a custom resource it also says defaults and what is valid; of a built-in kind it is
   * the shape alone (types, merge keys, list types), and the kind's rules say the rest.
   */
  schema?: StructuralSchema;
  /** Of custom resources; built-in kinds have printers of their own. */
  columns?: readonly PrinterColumn[];
  hasStatus: boolean;
  scale?: ScalePaths;
}

/** The objects that are there besides the one in question. */
export interface Neighbours {
  read(id: string, namespace: string, name: string): KubeObject | undefined;
  list(id: string): readonly KubeObject[];
}

/** What a kind does differently from every other. All of it is pure. */
export interface KindRules {
  names?: NameRule;
  /** What a new object gets out of others, before its own defaults; throws a refusal. */
  admit?: (object: KubeObject, neighbours: Neighbours) => KubeObject;
  /** Defaults and resets of a new object. */
  prepareCreate?: (object: KubeObject) => KubeObject;
  /** Defaults and resets of a changed object. */
  prepareUpdate?: (next: KubeObject, current: KubeObject) => KubeObject;
  /** What else a deletion mark changes. */
  prepareDelete?: (object: KubeObject) => KubeObject;
  check?: (object: KubeObject) => FieldError[];
  checkUpdate?: (next: KubeObject, current: KubeObject) => FieldError[];
  /** What an object may share with no other of its kind, or why it cannot have it. Comes after all checks. */
  allocate?: (object: KubeObject, others: readonly KubeObject[]) => KubeObject | FieldError[];
  /** A PUT where there is nothing creates. */
  createsOnUpdate?: boolean;
  /** Seconds a deletion waits for somebody else to finish it. */
  gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
  /** What becomes of dependents where a deletion does not say. Default Background. */
  propagation?: 'Orphan';
  /** Why an object may not be deleted at all. */
  checkDelete?: (object: KubeObject) => string | undefined;
  /** Whether something other than metadata.finalizers keeps a deleted object. */
  isHeld?: (object: KubeObject) => boolean;
  /** Of built-in kinds a status write may change labels, too, unless this says no. */
  statusKeepsLabels?: boolean;
  fields?: SelectableFields;
}

/** Who asks a question, and when. */
export interface Asker {
  user: string;
  /** As timestamps of objects are. */
  at: string;
}

/** A kind of object the server keeps, in whatever versions it is served. */
export interface ResourceType {
  /** `pods`, `clonesets.apps.kruise.io`: the store's name for it. */
  id: string;
  group: string;
  kind: string;
  /** Default: the kind with `List`. */
  listKind?: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  storageVersion: string;
  versions: ReadonlyMap<string, ServedVersion>;
  /** Custom resources take no strategic merge patch. */
  custom: boolean;
  tracksGeneration: boolean;
  /** Its definition is being deleted: what there is goes, and nothing is made. */
  terminating?: boolean;
  rules: KindRules;
  /** Of kinds that are questions: what a POST is answered with. Nothing is kept, and nothing else can be done. */
  answer?: (question: KubeObject, asker: Asker) => KubeObject;
}

export interface Served {
  type: ResourceType;
  version: ServedVersion;
}

export interface Registry {
  add(type: ResourceType): void;
  remove(id: string): void;
  types(): readonly ResourceType[];
  byId(id: string): ResourceType | undefined;
  /** What serves a resource; 404 when nothing does. */
  serving(resource: Pick<Resource, 'group' | 'version' | 'plural'>): Served;
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

export function createRegistry(): Registry {
  const types = new Map<string, ResourceType>();
  return {
    add: (type) => types.set(type.id, type),
    remove: (id) => types.delete(id),
    types: () => [...types.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    byId: (id) => types.get(id),
    serving(resource) {
      const type = types.get(groupResource(resource));
      const version = type?.versions.get(resource.version);
      if (type === undefined || version === undefined) throw refuse.noResource();
      return { type, version };
    },
  };
}

const viewsByVersion = new WeakMap<ServedVersion, WeakMap<KubeObject, KubeObject>>();

/**
 * A stored object as one version shows it: apiVersion rewritten (there is no other conversion), defaults of that
 * version filled in. Frozen, and the stored reference itself when both leave it alone; computed once per object.
 */
export function viewOf({ type, version }: Served, stored: KubeObject): KubeObject {
  // The schema of a built-in kind is its shape alone: it fills nothing in.
  const schema = type.custom ? version.schema : undefined;
  if (schema === undefined && version.version === type.storageVersion) return stored;
  let views = viewsByVersion.get(version);
  if (views === undefined) viewsByVersion.set(version, (views = new WeakMap()));
  const known = views.get(stored);
  if (known !== undefined) return known;
  const filled = schema === undefined ? stored : (applyDefaults(schema, stored) as KubeObject);
  const apiVersion = apiVersionOf(type.group, version.version);
  const view = filled.apiVersion === apiVersion ? filled : { ...filled, apiVersion };
  const frozen = view === stored ? stored : freezeNew(view);
  views.set(stored, frozen);
  return frozen;
}

/** Freezes what is not frozen yet; parts shared with stored objects are. */
function freezeNew<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(freezeNew);
    Object.freeze(value);
  }
  return value;
}

/** The Resource that names a type at its storage version. */
export function resourceOf(type: ResourceType): Resource {
  const { group, plural, kind, namespaced } = type;
  return { group, version: type.storageVersion, plural, kind, namespaced };
}
