import { createHash } from 'node:crypto';
import { repositoryOf } from './imageName.ts';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** The behavior of an image's containers. Absent fields use the timings of the world and succeed. */
export interface ImageBehavior {
  /** `sha256:…`; two images with the same digest are the same image under two names. */
  digest?: string;
  /** It was loaded into the node by hand: its id names no repository. */
  isLoaded?: boolean;
  pullMs?: number;
  /** Every pull fails while this is set. */
  pullError?: boolean;
  /** Its registry lets nobody pull it without the credentials of a Secret in `imagePullSecrets`. */
  isPrivate?: boolean;
  startMs?: number;
  /** Time from start to ready; startup and readiness probes succeed from then on. */
  readyMs?: number;
  neverReady?: boolean;
  /** These probes fail while this is set. */
  failingProbes?: readonly ProbeKind[];
  /** The liveness probe fails this long after each start. */
  unhealthyAfterMs?: number;
  /** The duration of postStart and preStop hooks, if the container has them. */
  postStartMs?: number;
  preStopMs?: number;
  /** These hooks fail, if the container has them and they do not only sleep. */
  postStartFails?: boolean;
  preStopFails?: boolean;
  stopMs?: number;
  /** Exits with an error this long after each start. */
  crashAfterMs?: number;
  /** The number of such crashes per pod; absent: unlimited. */
  times?: number;
  /** Exits this long after its start, with `exitCode` (0). Absent: as `lifetimeMs` says. */
  exitAfterMs?: number;
  /** It runs until it is stopped, in whatever pod. */
  keepsRunning?: boolean;
  exitCode?: number;
}

/** Tag suffixes that select a failure behavior, for clients without access to the configuration. */
const misbehavior: Readonly<Record<string, ImageBehavior>> = {
  missing: { pullError: true },
  crashing: { crashAfterMs: 2_000 },
  unready: { neverReady: true },
};

/**
 * The behavior by tag: `web:2-missing` cannot be pulled, `web:2-crashing` exits two seconds after each start,
 * `web:2-unready` never becomes ready. Undefined for all other tags.
 */
export function behaviorByTag(image: string): ImageBehavior | undefined {
  const ending = /:(?:[^:/@]*-)?([a-z]+)$/.exec(image)?.[1] ?? '';
  return Object.hasOwn(misbehavior, ending) ? misbehavior[ending] : undefined;
}

/** The image registry: every image exists, and works unless configured otherwise. */
export interface Images {
  set(image: string, behavior: ImageBehavior): void;
  of(image: string): ImageBehavior;
  /** `repository@sha256:…`. */
  idOf(image: string): string;
  /** In bytes. */
  sizeOf(image: string): number;
}

/** Whether a probe succeeds `elapsedMs` after the start of a container of an image. */
export function answersProbe(behavior: ImageBehavior, kind: ProbeKind, elapsedMs: number): boolean {
  if (behavior.failingProbes?.includes(kind) === true) return false;
  if (kind === 'liveness') return elapsedMs < (behavior.unhealthyAfterMs ?? Number.POSITIVE_INFINITY);
  return behavior.neverReady !== true && elapsedMs >= (behavior.readyMs ?? 0);
}

const rememberedHashes = 1000;

/** `byName`: default behavior of images that were not `set`. */
export function createImages(byName: (image: string) => ImageBehavior | undefined = () => undefined): Images {
  const behaviors = new Map<string, ImageBehavior>();
  const wellBehaved: ImageBehavior = {};
  const of = (image: string) =>
    behaviors.get(image) ??
    byName(image) ??
    (image.includes('@') ? sameContent(image) : undefined) ??
    wellBehaved;
  const hashes = new Map<string, string>();

  /** The behavior of what the digest of an image names: another spelling is the same program. */
  function sameContent(image: string): ImageBehavior | undefined {
    const at = image.indexOf('@');
    const [tagged, digest] = [image.slice(0, at), image.slice(at + 1)];
    const isSame = (other: string): boolean =>
      repositoryOf(other) === repositoryOf(image) && idOf(other).endsWith(`@${digest}`);
    const known = [...behaviors.keys()].find((other) => !other.includes('@') && isSame(other));
    return known === undefined ? byName(tagged) : behaviors.get(known);
  }

  function idOf(image: string): string {
    const pinned = /@(.+)$/.exec(image)?.[1];
    const digest = (pinned === undefined ? of(image) : behaviors.get(image))?.digest ?? pinned;
    const id = digest ?? `sha256:${hashOf(image)}`;
    return of(image).isLoaded === true ? id : `${repositoryOf(image)}@${id}`;
  }

  function hashOf(text: string): string {
    let hash = hashes.get(text);
    if (hash === undefined) {
      hash = createHash('sha256').update(text).digest('hex');
      if (hashes.size >= rememberedHashes) hashes.clear();
      hashes.set(text, hash);
    }
    return hash;
  }
  return {
    set: (image, behavior) => behaviors.set(image, { ...behavior }),
    of,
    idOf,
    // A deterministic size between 10 and 140 MB.
    sizeOf: (image) => 10_000_000 + (Number.parseInt(hashOf(image).slice(0, 8), 16) % 130_000_000),
  };
}
