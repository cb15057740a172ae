import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodInjector, PodNamespace, SkippedSet } from '../../semantics/kinds/pod-injector.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { orderedAtCreation } from '../../semantics/launch/at-creation.ts';
import { controllerOf, groupKindOf } from '../../semantics/owner.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import { answerTo } from './answer.ts';

/** What is known of the cluster at the time of a review. */
export interface AdmissionSources {
  /** The objects of a kind that adds to new pods. */
  sets(injector: PodInjector): readonly KubeObject[];
  /** The ControllerRevisions of these objects. */
  revisions(sets: readonly KubeObject[]): readonly KubeObject[];
  namespace(name: string): PodNamespace;
  /** Whether an object changes by plans alone. */
  isRequired(injector: PodInjector, object: KubeObject): boolean;
  injectors: readonly PodInjector[];
  /** Milliseconds since 1970. */
  now: number;
  /** An object selects a new pod, and gives it nothing, as what is on record does not let it. Default: nobody learns of it. */
  onWithheld?: (injector: PodInjector, withheld: SkippedSet) => void;
}

/** A review of a pod that is created. */
export interface NewPodRequest {
  /** As the request has it. */
  pod: KubeObject;
  namespace: string;
  /** The uid of the request. */
  requestId: string;
  /** The name of the user who creates it. */
  user: string;
  isDryRun: boolean;
}

/** Why a pod is not created. */
export interface RefusedPod {
  refused: string;
  code: number;
  reason: string;
}

/** Why a pod gets nothing of an object that selects it, while that is not on record. */
export const WITHHELD: ReadonlySet<SkippedSet['reason']> = new Set(['Unplanned', 'NotRecorded']);

/** The parts of a spec that injections change, which are patched first; the API server fills in the rest. */
const CHANGED = ['initContainers', 'containers', 'volumes', 'imagePullSecrets'];

/** The pod that a review asks about; undefined: it asks about something else, which is allowed. */
export function newPodOf(review: unknown): NewPodRequest | undefined {
  const request = objectOf(objectOf(review)['request']);
  const pod = request['object'];
  if (!isPodCreation(request) || !isObject(pod)) return undefined;
  const read = { ...objectOf(pod), metadata: objectOf(objectOf(pod)['metadata']) } as unknown as KubeObject;
  const requested = textOf(request['namespace']);
  // A pod has no namespace of its own before it is stored, so that of the request counts.
  const namespace = read.metadata.namespace ?? (requested === '' ? 'default' : requested);
  return {
    pod: read,
    namespace,
    requestId: textOf(request['uid']),
    user: textOf(objectOf(request['userInfo'])['username']),
    isDryRun: request['dryRun'] === true,
  };
}

/**
 * Answers the review of a pod that is created: a JSON patch that adds what the sets give it and lets its containers start in
 * their order, or a refusal that names the set, the container, or what no rule reads. Any other request is allowed as it is. The
 * rules for sets are those of `kruise build`.
 */
export function reviewPod(review: unknown, sources: AdmissionSources): JsonObject {
  const asked = newPodOf(review);
  const refused = asked && unreadable(asked);
  return answered(review, asked, refused ?? (asked && reviewed(asked, asked.pod, sources)));
}

/**
 * Answers it by other rules, which change the pod or refuse it.
 *
 * @param change is not called for a pod that no rule may read: the review for sidecars refuses that
 */
export async function reviewChangedPod(
  review: unknown,
  change: (asked: NewPodRequest) => Promise<{ pod: KubeObject } | RefusedPod>,
): Promise<JsonObject> {
  const asked = newPodOf(review);
  const isRead = asked !== undefined && unreadable(asked) === undefined;
  return answered(review, asked, isRead ? await change(asked) : undefined);
}

function answered(
  review: unknown,
  asked: NewPodRequest | undefined,
  result: { pod: KubeObject } | RefusedPod | undefined,
): JsonObject {
  const request = objectOf(objectOf(review)['request']);
  if (asked === undefined || result === undefined) return answerTo(request, { allowed: true });
  if ('refused' in result) {
    const { refused: message, code, reason } = result;
    return answerTo(request, { allowed: false, status: { status: 'Failure', reason, code, message } });
  }
  const patch = patchOf(asked.pod, result.pod);
  if (patch.length === 0) return answerTo(request, { allowed: true });
  const text = Buffer.from(JSON.stringify(patch), 'utf8').toString('base64');
  return answerTo(request, { allowed: true, patchType: 'JSONPatch', patch: text });
}

const invalid = (refused: string): RefusedPod => ({ refused, reason: 'Invalid', code: 422 });

function unreadable({ pod }: NewPodRequest): RefusedPod | undefined {
  const bound = beyondBounds(pod);
  return bound && invalid(`${bound.path.join('.')} ${bound.rule}`);
}

function isPodCreation({ operation, resource, subResource }: JsonObject): boolean {
  const { group, resource: plural } = objectOf(resource);
  return operation === 'CREATE' && (group ?? '') === '' && plural === 'pods' && !subResource;
}

/** Sidecars come first: they take part in the order of containers. */
function reviewed(
  { namespace, requestId }: NewPodRequest,
  pod: KubeObject,
  sources: AdmissionSources,
): { pod: KubeObject } | RefusedPod {
  const result = injected(pod, namespace, requestId, sources);
  if ('refused' in result) return invalid(result.refused);
  const controller = controllerOf(pod);
  const isOurs = controller !== undefined && kindOf(groupKindOf(controller)) !== undefined;
  const ordered = orderedAtCreation(result.pod, { requestId, isOurs });
  return 'refused' in ordered ? invalid(ordered.refused) : ordered;
}

function injected(
  before: KubeObject,
  namespace: string,
  requestId: string,
  sources: AdmissionSources,
): { pod: KubeObject } | { refused: string } {
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
      published: injector.published(sets, revisions, pod, requestId, (set) =>
        sources.isRequired(injector, set),
      ),
      requestId,
      now: sources.now,
      sortsContainers: false,
    });
    if ('refused' in result) return result;
    for (const each of result.skipped) if (WITHHELD.has(each.reason)) sources.onWithheld?.(injector, each);
    ({ pod } = result);
  }
  return { pod };
}

function patchOf(before: KubeObject, after: KubeObject): JsonPatchOperation[] {
  if (before === after) return [];
  const [was, is] = [objectOf(before['spec']), objectOf(after['spec'])];
  const operations: JsonPatchOperation[] = [];
  const set = (path: string, old: Json | undefined, value: Json | undefined): void => {
    if (value === undefined && old !== undefined) operations.push({ op: 'remove', path });
    if (value === undefined || isSame(old, value)) return;
    operations.push({ op: old === undefined ? 'add' : 'replace', path, value });
  };
  set('/metadata/name', before.metadata.name, after.metadata.name);
  set('/metadata/labels', before.metadata.labels, after.metadata.labels);
  set('/metadata/annotations', before.metadata.annotations, after.metadata.annotations);
  const others = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (key) => !CHANGED.includes(key),
  );
  for (const field of [...CHANGED, ...others.sort()]) set(`/spec/${escaped(field)}`, was[field], is[field]);
  return operations;
}

/** A step of a JSON pointer. */
function escaped(field: string): string {
  return field.replaceAll('~', '~0').replaceAll('/', '~1');
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
