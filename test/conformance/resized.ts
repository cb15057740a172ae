import type { JsonObject } from '../../schemas/wire/json.ts';
import { updatesOf } from '../../semantics/kinds/git-units.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { RESIZE_ANNOTATION } from '../../semantics/template/update-policy.ts';
import { fewHistoriesOf } from './histories.ts';
import type { Change, State, Subject, World } from './subject.ts';

/** A way to resize: what the container says about restarts, and whether its image changes, too. */
interface Way {
  name: string;
  container: JsonObject;
  keepsImage: boolean;
}

const RESTARTS = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

const ways: readonly Way[] = [
  { name: 'resized', container: {}, keepsImage: true },
  { name: 'resized with a restart', container: RESTARTS, keepsImage: true },
  { name: 'resized with an image', container: {}, keepsImage: false },
];

/** Worlds in which containers are resized in place, for a kind that reads the annotation for that. */
export function resizeWorldsOf(subject: Subject): World[] {
  const change = subject.changes.find(({ mode }) => mode === 'InPlace');
  if (change === undefined || !servesResize(subject)) return [];
  return ways.flatMap((way) => fewHistoriesOf(subject, resized(change, way)));
}

/** The ways that a kind of these must have a world for. */
export const resizeWays: readonly string[] = ways.map(({ name }) => name);

/** Whether a kind resizes containers where its manifests ask for that. */
export function servesResize({ kind, changes }: Subject): boolean {
  return changes.some(
    ({ states: [{ manifest }] }) =>
      updatesOf(kind.git.read(withAnnotation(manifest)).units)?.resizes === true,
  );
}

function resized({ title, mode, states: [first, second, third] }: Change, way: Way): Change {
  const at = (state: State, millicores: number): State => {
    const { manifest, revision } = way.keepsImage ? first : state;
    const cpu = `${millicores}m`;
    return { manifest: withCpu(withAnnotation(manifest), way, cpu), revision: `${revision} cpu ${cpu}` };
  };
  return {
    title: `${title}, ${way.name}`,
    mode,
    states: [at(first, 100), at(second, 200), at(third, 300)],
  };
}

function withAnnotation(manifest: KubeObject): KubeObject {
  const annotations = { ...manifest.metadata.annotations, [RESIZE_ANNOTATION]: 'true' };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

function withCpu(manifest: KubeObject, { container }: Way, cpu: string): KubeObject {
  const spec = manifest['spec'] as { template: { spec: { containers: JsonObject[] } } };
  const { template } = spec;
  const containers = template.spec.containers.map((each) => ({
    ...each,
    ...container,
    resources: { requests: { cpu } },
  }));
  return {
    ...manifest,
    spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } },
  };
}
