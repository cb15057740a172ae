import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { Authorizer } from '../access/authorizer.ts';
import type { UserInfo } from '../access/users.ts';
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

/** Objects of a version that look otherwise than they are stored. Both ways keep the metadata's owners and times. */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(stored: KubeObject): KubeObject;
}

export interface ServedVersion {
  version: string;
  conversion?: Conversion;
  /**
   * What fields there are. Of a custom resource it also says defaults and what is valid; of a built-in kind it is
   * the shape alone (types, merge keys, list types), and the kind's rules say the rest.
   */
  schema?: StructuralSchema;
  /** Of custom resources; built-in kinds have printers of their own. */
  columns?: readonly PrinterColumn[];
  hasStatus: boolean;
  scale?: ScalePaths;
  /** What is told to everybody who uses a version that is on its way out. */
  deprecation?: string;
}

/** The objects that are there besides the one in question. */
export interface RelatedObjects {
  read(id: string, namespace: string, name: string): KubeObject | undefined;
  list(id: string, namespace?: string): readonly KubeObject[];
}

/** What a kind does differently from every other. All of it is pure. */
export interface KindRules {
  names?: NameRule;
  /**
   * What reading an object of this kind fills in, in every write of it; it belongs to who wrote the object. What is of
   * `current` by identity is complete.
   */
  defaults?: (object: KubeObject, current: KubeObject | undefined) => KubeObject;
  /**
   * What a server adds to a new object, or to a changed one, where there is a `current` one, partly out of others. It
   * belongs to nobody. Throws a refusal.
   */
  admit?: (object: KubeObject, neighbours: RelatedObjects, current: KubeObject | undefined) => KubeObject;
  /** What a new object is given, and what is taken out of it. */
  prepareCreate?: (object: KubeObject) => KubeObject;
  /** What of the present object stays, whatever the write says. */
  prepareUpdate?: (next: KubeObject, current: KubeObject) => KubeObject;
  /** A PUT has to say which version of the object it replaces. So have those of all custom resources. */
  needsRevision?: boolean;
  /** A change of annotations is a new generation, too. */
  countsAnnotations?: boolean;
  /** What else a deletion mark changes. */
  prepareDelete?: (object: KubeObject) => KubeObject;
  /** What a write that is valid is told besides; `current`: the object as it was. */
  warnings?: (object: KubeObject, current: KubeObject | undefined) => string[];
  check?: (object: KubeObject) => FieldError[];
  /** What is asked of new objects alone. */
  checkCreate?: (object: KubeObject) => FieldError[];
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
  blocksRemoval?: (object: KubeObject) => boolean;
  /** Of built-in kinds a status write may change labels, too, unless this says no. */
  statusKeepsLabels?: boolean;
  fields?: SelectableFields;
}

/** Who asks a question, and when. */
export interface Requester {
  user: UserInfo;
  /** As timestamps of objects are. */
  at: string;
  authorizer: Authorizer;
}

/** A kind of object the server keeps, in whatever versions it is served. */
export interface ResourceType {
  /** `pods`, `rolloutplans.plan.kruise.io`: the store's name for it. */
  id: string;
  /** Where another group's kind is what the same objects are stored as: its apiVersion. */
  storedAs?: string;
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
  answer?: (question: KubeObject, asker: Requester) => KubeObject;
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
    add: (type) => types.set(groupResource(type), type),
    remove: (id) => types.delete(id),
    types: () => [...types.values()].sort((a, b) => (groupResource(a) < groupResource(b) ? -1 : 1)),
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
 * A stored object as one version shows it: converted, or with the version's apiVersion alone where nothing else differs;
 * defaults of the version it is stored at filled in, for a server decodes it before it converts. Frozen, and the stored
 * reference itself when both leave it alone; computed once per object.
 */
export function viewOf({ type, version }: Served, stored: KubeObject): KubeObject {
  // The schema of a built-in kind is its shape alone: it fills nothing in.
  const decoded = type.versions.get(stored.apiVersion.split('/').at(-1) ?? '') ?? version;
  const schema = type.custom ? decoded.schema : undefined;
  const { conversion } = version;
  if (schema === undefined && conversion === undefined && version.version === type.storageVersion)
    return stored;
  let views = viewsByVersion.get(version);
  if (views === undefined) viewsByVersion.set(version, (views = new WeakMap()));
  const known = views.get(stored);
  if (known !== undefined) return known;
  const shown = conversion === undefined ? stored : conversion.fromStored(stored);
  const filled = schema === undefined ? shown : (applyDefaults(schema, stored) as KubeObject);
  const apiVersion = apiVersionOf(type.group, version.version);
  const view = filled.apiVersion === apiVersion ? filled : { ...filled, apiVersion };
  const frozen = view === stored ? stored : freezeNew(view);
  views.set(stored, frozen);
  return frozen;
}

/** The kind that a refusal of an object's content names: the one that is stored. */
export function errorKind(type: ResourceType): Pick<ResourceType, 'group' | 'kind' | 'plural'> {
  const { kind, plural } = type;
  return type.storedAs === undefined ? type : { group: '', kind, plural };
}

/** An object of a served version as it is stored. */
export function storedForm({ type, version }: Served, object: KubeObject): KubeObject {
  if (version.conversion !== undefined) return version.conversion.toStored(object);
  return { ...object, apiVersion: apiVersionOf(type.group, type.storageVersion) };
}

/**
 * Rewrites an object of the stored form by a function of the served form, of which only the managed fields count:
 * fields belong to their managers under the names of the version that was written.
 */
export function asServed(
  { version }: Served,
  object: KubeObject,
  rewrite: (object: KubeObject) => KubeObject,
): KubeObject {
  const { conversion } = version;
  if (conversion === undefined) return rewrite(object);
  const { managedFields } = rewrite(conversion.fromStored(object)).metadata;
  const { managedFields: _before, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
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
