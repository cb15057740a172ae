import type { World } from 'kruise-sandbox';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { workingContainer } from '../../semantics/sidecarset/hot-pair.ts';
import {
  HASH_ANNOTATION,
  OTHER_VERSION_PREFIX,
  VERSION_PREFIX,
} from '../../semantics/sidecarset/resource.ts';
import { parsedJson } from '../../semantics/values/json-shape.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

export const EMPTY = 'empty:1';

/** What the images of a hot world do: some take long to take over, and some fail. */
function scriptImages({ images }: World): void {
  images.set('mesh:slow', { postStartMs: 40_000 });
  images.set('mesh:failing', { postStartFails: true });
  images.set('mesh:missing', { pullError: true });
  images.set('mesh:unready', { neverReady: true });
  images.set('log:failing', { crashAfterMs: 1_000 });
}

/** A world whose set has the hot-upgrade container `mesh`, and `log` where the image of one is given. */
export interface HotWorld extends SidecarWorld {
  /** Writes the set with these images, first its plan where steps are given. */
  upgrade(images: Images, steps?: readonly Step[], spec?: JsonObject): Promise<void>;
  /** Both halves of each pod by its name, the half that works, and the image of `log`. */
  halves(): Promise<Record<string, string>>;
  /** What of each pod must not differ after an upgrade that failed: its hash and its versions. */
  records(): Promise<Record<string, string>>;
  /** Every commit after which no half of a pod ran a real image and was ready, although one did before. */
  outages: string[];
}

interface Images {
  mesh: string;
  log?: string;
}

function containersOf({ mesh, log }: Images): JsonObject[] {
  const lifecycle = { postStart: { exec: { command: ['take-over'] } } };
  const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: EMPTY };
  const own = log === undefined ? [] : [{ name: 'log', image: log }];
  return [{ name: 'mesh', image: mesh, lifecycle, upgradeStrategy }, ...own];
}

const imageOf = ({ spec }: Pod, container: string): string =>
  spec.containers.find(({ name }) => name === container)?.image ?? '';

/** Whether a half of the pair runs the real image of its spec, and is ready. */
function serves(pod: Pod): boolean {
  return (pod.status?.containerStatuses ?? []).some(
    ({ name, image, ready }) =>
      /^mesh-[12]$/.test(name) && ready === true && image !== EMPTY && image === imageOf(pod, name),
  );
}

function watchOutages({ onCommit }: World): string[] {
  const outages: string[] = [];
  const serving = new Set<string>();
  onCommit(({ resource, object, user }) => {
    if (resource !== 'pods') return;
    const pod = object as Pod;
    const uid = pod.metadata.uid ?? '';
    if (serves(pod)) serving.add(uid);
    else if (serving.has(uid) && pod.metadata.deletionTimestamp === undefined)
      outages.push(`${pod.metadata.name} serves no more after a write of ${user}`);
  });
  return outages;
}

export async function hotWorld(options: Parameters<typeof sidecarWorld>[0] = {}): Promise<HotWorld> {
  const world = await sidecarWorld(options);
  scriptImages(world.world);
  const outages = watchOutages(world.world);
  const byPod = async (text: (pod: Pod) => string): Promise<Record<string, string>> =>
    Object.fromEntries((await world.pods()).map((pod) => [pod.metadata.name, text(pod)]));
  return {
    ...world,
    outages,
    upgrade: (images, steps, spec) => world.set('', steps, { containers: containersOf(images), ...spec }),
    halves: () =>
      byPod((pod) => {
        const log = imageOf(pod, 'log');
        const works = workingContainer(pod, 'mesh') ?? 'none';
        return `${imageOf(pod, 'mesh-1')} ${imageOf(pod, 'mesh-2')}, ${works}${log === '' ? '' : `, ${log}`}`;
      }),
    records: () =>
      byPod((pod) => {
        const { annotations = {} } = pod.metadata;
        const record = objectOf(objectOf(parsedJson(annotations[HASH_ANNOTATION] ?? ''))['log']);
        const versions = [VERSION_PREFIX, OTHER_VERSION_PREFIX].flatMap((prefix) =>
          ['mesh-1', 'mesh-2'].map((half) => annotations[prefix + half] ?? '-'),
        );
        return [textOf(record['hash']), textOf(record['controllerRevision']), ...versions].join(' ');
      }),
  };
}
