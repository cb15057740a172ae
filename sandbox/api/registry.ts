import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { Authorizer } from '../access/authorizer.ts';
import type { UserInfo } from '../access/users.ts';
import { applyDefaults } from '../schema/default.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { groupResource, refuse } from './errors.ts';
import type { FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { NameRule } from '../../schemas/pods/names.ts';
import type { SelectableFields } from './selector.ts';

/** Where a kind stores the fields of the scale subresource. */
export interface ScalePaths {
  specReplicas: string[];
  statusReplicas: string[];
  labelSelector?: string[];
}

/** A column of `kubectl get`, as in additionalPrinterColumns. */
export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  /** 0 is always shown, higher priorities only with `-o wide`. */
  priority?: number;
  jsonPath: string;
}

/**
 * Conversion between a served version and the stored one. Both directions preserve owner references and timestamps
 * in metadata.
 */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(stored: KubeObject): KubeObject;
}

export interface ServedVersion {
  version: string;
  conversion?: Conversion;
  /**
   * The schema. For custom resources it also contains defaults and validation; for built-in kinds only the
   * structure (types, merge keys, list types), and the rules of the kind do the rest.
   */
  schema?: StructuralSchema;
  /** For custom resources; built-in kinds have their own printers. */
  columns?: readonly PrinterColumn[];
  hasStatus: boolean;
  scale?: ScalePaths;
  /** The deprecation warning of a version. */
  deprecation?: string;
}

/** Read access to other stored objects. */
export interface RelatedObjects {
  read(id: string, namespace: string, name: string): KubeObject | undefined;
  list(id: string, namespace?: string): readonly KubeObject[];
}

/** The behavior that differs between kinds. All functions are pure. */
/** What an update was read from: stored values do not keep the order of fields where they share equal ones. */
export interface UpdateBody {
  value: unknown;
  /** A strategic patch or an apply: the server writes open fields anew, in the order of their names. */
  isSorted: boolean;
}

export interface KindRules {
  names?: NameRule;
  /**
   * Defaults applied on every decode of an object of this kind; the writer owns them. Parts that are identical to
   * `current` are already complete.
   */
  defaults?: (object: KubeObject, current: KubeObject | undefined) => KubeObject;
  /**
   * Values that admission adds to a new object, or to an update (`current` is set), possibly from other objects.
   * They have no owner. Throws ApiError.
   */
  admit?: (object: KubeObject, relatedObjects: RelatedObjects, current: KubeObject | undefined) => KubeObject;
  /** Sets and clears fields of a new object. */
  prepareCreate?: (object: KubeObject) => KubeObject;
  /** Restores fields that an update must not change. */
  prepareUpdate?: (next: KubeObject, current: KubeObject) => KubeObject;
  /** PUT requires a resourceVersion. Custom resources always require it. */
  needsRevision?: boolean;
  /** Changes of annotations also increase the generation. */
  countsAnnotations?: boolean;
  /** Additional changes when an object is marked for deletion. */
  prepareDelete?: (object: KubeObject) => KubeObject;
  /** Warnings for a valid write; `current`: the old object. */
  warnings?: (object: KubeObject, current: KubeObject | undefined) => string[];
  check?: (object: KubeObject) => FieldError[];
  /** Validation of new objects only. */
  checkCreate?: (object: KubeObject) => FieldError[];
  checkUpdate?: (next: KubeObject, current: KubeObject, body: UpdateBody) => FieldError[];
  /** Allocates values that are unique among objects of the kind, or returns errors. Runs after validation. */
  allocate?: (object: KubeObject, others: readonly KubeObject[]) => KubeObject | FieldError[];
  /** PUT creates a missing object. */
  createsOnUpdate?: boolean;
  /** Default grace period in seconds. */
  gracePeriod?: (object: KubeObject, requested: number | undefined) => number;
  /** The default propagation policy of deletions. Default Background. */
  propagation?: 'Orphan';
  /** Why an object must not be deleted. */
  checkDelete?: (object: KubeObject) => string | undefined;
  /** Whether something other than metadata.finalizers delays the removal of a deleted object. */
  blocksRemoval?: (object: KubeObject) => boolean;
  /** Built-in kinds let status writes change labels, unless this is set. */
  statusKeepsLabels?: boolean;
  fields?: SelectableFields;
}

/** The user and time of a review request. */
export interface Requester {
  user: UserInfo;
  /** RFC 3339, as in object timestamps. */
  at: string;
  authorizer: Authorizer;
}

/** A stored kind with all its served versions. */
export interface ResourceType {
  /** `pods`, `rolloutplans.plan.kruise.io`: the key in the store. */
  id: string;
  /** The storage apiVersion, if objects are stored as a kind of another group. */
  storedAs?: string;
  group: string;
  kind: string;
  /** Default: the kind followed by `List`. */
  listKind?: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  storageVersion: string;
  versions: ReadonlyMap<string, ServedVersion>;
  /** Custom resources do not support strategic merge patch. */
  custom: boolean;
  tracksGeneration: boolean;
  /** The definition is being deleted: objects are removed and none can be created. */
  terminating?: boolean;
  rules: KindRules;
  /** For review kinds: computes the response of a POST. Nothing is stored, and no other verb is supported. */
  answer?: (question: KubeObject, requester: Requester) => KubeObject;
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
  /** The served type of a resource; 404 if there is none. */
  serving(resource: Pick<Resource, 'group' | 'version' | 'plural'>): Served;
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The served type of a kind, in the version of an apiVersion. */
export function servedKind(
  registry: Pick<Registry, 'types'>,
  apiVersion: string,
  kind: string,
): Served | undefined {
  for (const type of registry.types())
    for (const [name, version] of type.versions)
      if (type.kind === kind && apiVersionOf(type.group, name) === apiVersion) return { type, version };
  return undefined;
}

export function createRegistry(): Registry {
  const types = new Map<string, ResourceType>();
  /** Many requests ask for them, few change them. */
  let inOrder: readonly ResourceType[] | undefined;
  return {
    add(type) {
      types.set(groupResource(type), type);
      inOrder = undefined;
    },
    remove(id) {
      types.delete(id);
      inOrder = undefined;
    },
    types: () =>
      (inOrder ??= [...types.values()].sort((a, b) => (groupResource(a) < groupResource(b) ? -1 : 1))),
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
 * A stored object in a served version: converted, or only with another apiVersion. Defaults of the storage version
 * are applied first, as the server decodes before it converts. Frozen, identical to the stored object if nothing
 * changes, and cached per object.
 */
export function viewOf({ type, version }: Served, stored: KubeObject): KubeObject {
  // Schemas of built-in kinds contain no defaults.
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

/** The kind in validation error messages: the stored one. */
export function errorKind(type: ResourceType): Pick<ResourceType, 'group' | 'kind' | 'plural'> {
  const { kind, plural } = type;
  return type.storedAs === undefined ? type : { group: '', kind, plural };
}

/** Converts a served object to its stored form. */
export function storedForm({ type, version }: Served, object: KubeObject): KubeObject {
  if (version.conversion !== undefined) return version.conversion.toStored(object);
  return { ...object, apiVersion: apiVersionOf(type.group, type.storageVersion) };
}

/**
 * Runs `rewrite` on the served form and keeps only its managed fields: field ownership uses the field names of the
 * written version.
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

/** Deep-freezes the parts that are not frozen yet; shared parts already are. */
function freezeNew<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(freezeNew);
    Object.freeze(value);
  }
  return value;
}

/** The Resource of a type at its storage version. */
export function resourceOf(type: ResourceType): Resource {
  const { group, plural, kind, namespaced } = type;
  return { group, version: type.storageVersion, plural, kind, namespaced };
}
