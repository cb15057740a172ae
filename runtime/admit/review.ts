import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodInjector, PodNamespace } from '../../semantics/kinds/pod-injector.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { orderedAtCreation } from '../../semantics/launch/at-creation.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';

/** What is known of the cluster at the time of a review. */
export interface AdmissionSources {
  /** The objects of a kind that adds to new pods. */
  sets(injector: PodInjector): readonly KubeObject[];
  /** The ControllerRevisions of these objects. */
  revisions(sets: readonly KubeObject[]): readonly KubeObject[];
  namespace(name: string): PodNamespace;
  injectors: readonly PodInjector[];
  /** Milliseconds since 1970. */
  now: number;
}

const REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };

/** The parts of a spec that a review changes; the API server fills in the rest. */
const CHANGED = ['initContainers', 'containers', 'volumes', 'imagePullSecrets'];

/**
 * Answers the review of a pod that is created: a JSON patch that adds what the sets give it and lets its containers start in
 * their order, or a refusal that names the set, the container, or what no rule reads. Any other request is allowed as it is. The
 * rules for sets are those of `kruise build`.
 */
export function reviewPod(review: unknown, sources: AdmissionSources): JsonObject {
  const request = objectOf(objectOf(review)['request']);
  const uid = textOf(request['uid']);
  const respond = (response: JsonObject): JsonObject => ({ ...REVIEW, response: { uid, ...response } });
  const pod = request['object'];
  if (!isPodCreation(request) || !isObject(pod)) return respond({ allowed: true });
  const before = { ...objectOf(pod), metadata: objectOf(objectOf(pod)['metadata']) } as unknown as KubeObject;
  const bound = beyondBounds(before);
  const result =
    bound === undefined
      ? reviewed(before, textOf(request['namespace']), uid, sources)
      : { refused: `${bound.path.join('.')} ${bound.rule}` };
  if ('refused' in result)
    return respond({
      allowed: false,
      status: { status: 'Failure', reason: 'Invalid', code: 422, message: result.refused },
    });
  const patch = patchOf(before, result.pod);
  if (patch.length === 0) return respond({ allowed: true });
  const text = Buffer.from(JSON.stringify(patch), 'utf8').toString('base64');
  return respond({ allowed: true, patchType: 'JSONPatch', patch: text });
}

function isPodCreation({ operation, resource, subResource }: JsonObject): boolean {
  const { group, resource: plural } = objectOf(resource);
  return operation === 'CREATE' && (group ?? '') === '' && plural === 'pods' && !subResource;
}

/** Sidecars come first: they take part in the order of containers. */
function reviewed(
  before: KubeObject,
  requested: string,
  uid: string,
  sources: AdmissionSources,
): { pod: KubeObject } | { refused: string } {
  const result = injected(before, requested, uid, sources);
  if ('refused' in result) return result;
  const controller = controllerOf(before);
  const isOurs = controller !== undefined && kindOf(groupKindOf(controller)) !== undefined;
  return orderedAtCreation(result.pod, { requestId: uid, isOurs });
}

/** A pod has no namespace of its own before it is stored, so that of the request counts. */
function injected(
  before: KubeObject,
  requested: string,
  uid: string,
  sources: AdmissionSources,
): { pod: KubeObject } | { refused: string } {
  const namespace = before.metadata.namespace ?? (requested === '' ? 'default' : requested);
  let pod = before;
  for (const injector of sources.injectors) {
    const sets = sources.sets(injector);
    if (sets.length === 0) continue;
    const revisions = sources.revisions(sets);
    const result = injector.inject({
      pod,
      namespace: sources.namespace(namespace),
      sets,
      revisions,
      published: injector.published(sets, revisions, pod, uid),
      requestId: uid,
      now: sources.now,
      sortsContainers: false,
    });
    if ('refused' in result) return result;
    ({ pod } = result);
  }
  return { pod };
}

function patchOf(before: KubeObject, after: KubeObject): JsonPatchOperation[] {
  if (before === after) return [];
  const [was, is] = [objectOf(before['spec']), objectOf(after['spec'])];
  const operations: JsonPatchOperation[] = [];
  const set = (path: string, old: Json | undefined, value: Json | undefined): void => {
    if (value === undefined || isSame(old, value)) return;
    operations.push({ op: old === undefined ? 'add' : 'replace', path, value });
  };
  set('/metadata/name', before.metadata.name, after.metadata.name);
  set('/metadata/annotations', before.metadata.annotations, after.metadata.annotations);
  for (const field of CHANGED) set(`/spec/${field}`, was[field], is[field]);
  return operations;
}

/** Most lists and maps have grown, so that their members need not be compared. */
function isSame(old: Json | undefined, value: Json): boolean {
  if (old === value) return true;
  if (sizeOf(old) !== sizeOf(value)) return false;
  return JSON.stringify(old) === JSON.stringify(value);
}

function sizeOf(value: Json | undefined): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}
