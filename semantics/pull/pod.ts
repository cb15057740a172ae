import { createHash } from 'node:crypto';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { NODE_NAME_FIELD } from '../node/node.ts';
import { controllerReference } from '../owner.ts';
import { cutName } from '../values/cut-name.ts';
import { UNPRIVILEGED_CONTAINER, UNPRIVILEGED_POD } from './unprivileged.ts';

/** Marks a pod that only pulls images; its value says what they are pulled for. It is no unit of its controller. */
export const PULL_LABEL = 'plan.kruise.io/pull';
/** The node that a pod pulls images to. The caches do not keep the affinity of pods. */
export const PULL_NODE_ANNOTATION = 'plan.kruise.io/pull-node';
/** Which attempt on its node a pod is, from 1. */
export const PULL_ATTEMPT_ANNOTATION = 'plan.kruise.io/pull-attempt';
/** How many attempts on its node asked for the image, that of the pod among them, from 1. */
export const PULL_TRY_ANNOTATION = 'plan.kruise.io/pull-try';
/** How often the pull has gone through its nodes when a pod is created, from 1. */
export const PULL_ROUND_ANNOTATION = 'plan.kruise.io/pull-round';

/** Hexadecimal digits in the name of a pod. */
const ID_DIGITS = 12;
/** The longest name of an owner that fits into the name of a pod, with `-pull-` and the digits. */
const LONGEST_OWNER = 253 - '-pull-'.length - ID_DIGITS;
/**
 * A command that no image has, although everybody knows it: the kernel takes no path of 4,096 bytes, and no file system, FUSE
 * included, has names of more than 1,024.
 */
const NO_COMMAND = `/${'x'.repeat(4096)}`;

/** What the pods that pull images have in common. */
export interface PullPods {
  /** Controls the pods: they are deleted with it, and are in its namespace. */
  owner: KubeObject;
  /** What they pull for, as a label value: pods of another key are another pull. */
  key: string;
  images: readonly string[];
  /** The spec of the pods that will run the images: pull secrets and service account are its own. */
  podSpec: Readonly<Record<string, unknown>>;
  /** Milliseconds after which the kubelet ends an attempt. */
  attemptMs: number;
  /** Default: IfNotPresent. */
  imagePullPolicy?: 'Always';
}

/** Whether a pod only pulls images. */
export function isPullPod({ metadata }: KubeObject): boolean {
  return metadata.labels?.[PULL_LABEL] !== undefined;
}

/** The node that a pod pulls to, which attempt it is, and in which round. */
export function pullOf({ metadata }: KubeObject): {
  key: string;
  node: string;
  attempt: number;
  tries: number;
  round: number;
} {
  const { labels = {}, annotations = {} } = metadata;
  return {
    key: labels[PULL_LABEL] ?? '',
    node: annotations[PULL_NODE_ANNOTATION] ?? '',
    attempt: numberFrom(annotations[PULL_ATTEMPT_ANNOTATION]),
    tries: numberFrom(annotations[PULL_TRY_ANNOTATION] ?? annotations[PULL_ATTEMPT_ANNOTATION]),
    round: numberFrom(annotations[PULL_ROUND_ANNOTATION]),
  };
}

function numberFrom(text: string | undefined): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

/**
 * The pod that pulls images to one node (docs/explanation/steps.md). The kubelet pulls every image before it fails to start
 * the container, whose command cannot exist in any image. So no program of an image runs, images without a shell work, and
 * the namespace may be `restricted`. The service account is that of the later pods, for its pull secrets, and its token is
 * not mounted.
 */
export function newPullPod(
  { owner, key, images, podSpec, attemptMs, imagePullPolicy }: PullPods,
  node: string,
  attempt: number,
  round = 1,
  tries = attempt,
): KubeObject {
  const { name, namespace, uid = '' } = owner.metadata;
  const id = createHash('sha256').update(`${uid}/${key}/${node}/${attempt}`).digest('hex');
  const spec: JsonObject = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }] }],
        },
      },
    },
    tolerations: [{ operator: 'Exists' }],
    restartPolicy: 'Never',
    activeDeadlineSeconds: Math.ceil(attemptMs / 1000),
    ...UNPRIVILEGED_POD,
    containers: images.map((image, index) => ({
      name: `image-${index + 1}`,
      image,
      imagePullPolicy: imagePullPolicy ?? 'IfNotPresent',
      command: [NO_COMMAND],
      securityContext: UNPRIVILEGED_CONTAINER,
    })),
  };
  for (const field of ['serviceAccountName', 'imagePullSecrets'] as const) {
    const value = podSpec[field];
    if (value !== undefined && value !== null) spec[field] = value as JsonObject;
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${cutName(name, LONGEST_OWNER)}-pull-${id.slice(0, ID_DIGITS)}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [PULL_LABEL]: key },
      annotations: {
        [PULL_NODE_ANNOTATION]: node,
        [PULL_ATTEMPT_ANNOTATION]: String(attempt),
        [PULL_ROUND_ANNOTATION]: String(round),
        ...(tries === attempt ? {} : { [PULL_TRY_ANNOTATION]: String(tries) }),
      },
      ownerReferences: [controllerReference(owner)],
    },
    spec,
  };
}
