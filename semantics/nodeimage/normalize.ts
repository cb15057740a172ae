import { createHash } from 'node:crypto';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { canonicalJson, compareCodePoints } from '../values/canonical-json.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { timeOf } from '../values/timestamp.ts';
import { PULL_NAMESPACE } from './resource.ts';

/** One tag that the node is to have, of either served version. */
export interface WantedTag {
  /** The name of the image without tag. */
  name: string;
  tag: string;
  /** What is pulled: a digest is joined by `@`. */
  reference: string;
  version: number;
  /** Milliseconds since 1970; 0: it is not said. */
  createdAt: number;
  /** Seconds; undefined: attempts alone end it. */
  deadline: number | undefined;
  attempts: number;
  attemptMs: number;
  isForced: boolean;
  /** Never empty. They have their turns, until one of them has pulled it. */
  sources: readonly TagSource[];
}

/** A namespace by whose Secrets a tag is pulled. */
export interface TagSource {
  namespace: string;
  secrets: readonly string[];
  /** Of its pods: another version, or other Secrets, are another pull. */
  key: string;
}

/** What OpenKruise's webhook sets (image-pull, section 2b). */
const DEFAULTS = { timeoutSeconds: 600, backoffLimit: 3 };

/**
 * The tags that are pulled, by image and tag. Those with owners are left out: OpenKruise has written them for ImagePullJobs, which pull by
 * themselves. A field of another type is read as absent.
 */
export const wantedTags = remembered((target: KubeObject): readonly WantedTag[] =>
  Object.entries(imagesOf(target))
    .flatMap(([name, entry]) => tagsIn(name, objectOf(entry)))
    .sort((a, b) => compareCodePoints(a.name, b.name) || compareCodePoints(a.tag, b.tag)),
);

/** What is to be there, by the name of the image. */
export function imagesOf({ spec }: KubeObject): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(spec)['images']);
}

/** The name by which a tag, or a digest, of an image is pulled. */
export function referenceOf(name: string, tag: string): string {
  return `${name}${tag.includes(':') ? '@' : ':'}${tag}`;
}

function tagsIn(name: string, entry: Readonly<Record<string, unknown>>): WantedTag[] {
  const secrets = secretsOf(entry);
  return listOf(entry['tags'])
    .filter(({ ownerReferences }) => listOf(ownerReferences).length === 0)
    .map((each): WantedTag => {
      const policy = objectOf(each['pullPolicy']);
      const retries = numberOf(policy['backoffLimit']) ?? DEFAULTS.backoffLimit;
      const seconds = numberOf(policy['timeoutSeconds']) ?? DEFAULTS.timeoutSeconds;
      const tag = textOf(each['tag']);
      const version = numberOf(each['version']) ?? 0;
      const isForced = each['imagePullPolicy'] === 'Always';
      const reference = referenceOf(name, tag);
      return {
        ...{ name, tag, reference, version, isForced },
        createdAt: timeOf(textOf(each['createdAt']) || undefined),
        deadline: numberOf(policy['activeDeadlineSeconds']),
        attempts: (retries < 0 ? DEFAULTS.backoffLimit : retries) + 1,
        attemptMs: Math.max(seconds, 1) * 1000,
        sources: secrets.map(([namespace, names]) => {
          const parts = [reference, version, isForced, namespace, names];
          const key = createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 16);
          return { namespace, secrets: names, key };
        }),
      };
    });
}

/** The names of the Secrets of each namespace, in the order in which they are named. */
function secretsOf(entry: Readonly<Record<string, unknown>>): (readonly [string, readonly string[]])[] {
  const found = new Map<string, Set<string>>();
  for (const each of listOf(entry['pullSecrets'])) {
    const namespace = textOf(each['namespace']);
    found.set(namespace, (found.get(namespace) ?? new Set()).add(textOf(each['name'])));
  }
  return found.size === 0
    ? [[PULL_NAMESPACE, []]]
    : [...found].map(([namespace, names]) => [namespace, [...names]]);
}
