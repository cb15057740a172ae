import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type BuiltObject, loweringTo, type Neighbors, type RowOf } from '../kinds/lowering.ts';
import { affinityTo } from '../node/affinity.ts';
import { HOSTNAME } from '../pod/nodes.ts';
import { UNLIMITED } from '../run/wave.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { objectOf } from '../values/read.ts';
import { launchOrderRow, plainFields, plainMetadata, requiredRow } from '../workload/plain.ts';
import { jobNameOf, type NamedNode, namedNodes } from './named-nodes.ts';
import { type NormalBroadcastJob, normalizeBroadcastJob } from './normalize.ts';

interface Read extends NormalBroadcastJob, Neighbors {
  object: KubeObject;
  /** The nodes that its template names; undefined: others may be among them. */
  nodes: readonly NamedNode[] | undefined;
}

type Row = RowOf<Read>;

const isSeveral = ({ nodes = [] }: Read): boolean => nodes.length > 1;

const restarts = ({ template }: Read): boolean => objectOf(template['spec'])['restartPolicy'] === 'OnFailure';

const stays: readonly Row[] = [
  {
    what: 'nodes that its template does not name',
    instead:
      'indexes of a Job are no nodes, git has no number of nodes, and an ended pod keeps no other away',
    applies: ({ nodes }) => nodes === undefined,
  },
  {
    what: 'completionPolicy.type Never',
    instead: 'a node that is replaced would get no pod',
    applies: ({ isEndless }) => isEndless,
  },
  {
    what: 'paused',
    instead: 'a Job that is suspended deletes the pods that run',
    applies: ({ paused }) => paused,
  },
  {
    what: 'a restartLimit below 0',
    instead: 'Kubernetes refuses so many failures',
    applies: (read) => restarts(read) && read.onFailure === 'FailFast' && read.restartLimit < 0,
  },
];

const losses: readonly Row[] = [
  {
    what: 'any node that does not exist, or takes no such pod',
    instead: 'its Job waits, where a BroadcastJob ends without it',
    applies: () => true,
  },
  {
    what: 'any pod that somebody deletes',
    instead: 'it counts as failed, and is not created again',
    applies: () => true,
  },
  { ...requiredRow, instead: 'all nodes run at once, without a plan' },
  {
    what: 'failurePolicy FailFast or Pause, on several nodes',
    instead: 'a failed pod stops no other node',
    applies: (read) => read.onFailure !== 'Continue' && isSeveral(read),
  },
  {
    what: 'parallelism, on several nodes',
    instead: 'the pods of all nodes start at once',
    applies: (read) =>
      isSeveral(read) &&
      scaleIntOrPercent(read.parallelism, read.nodes?.length ?? 0, 'up') < (read.nodes?.length ?? 0),
  },
  {
    what: 'restartPolicy OnFailure with failurePolicy FailFast',
    instead: 'a pod with more restarts than restartLimit is deleted, where it would go on',
    applies: (read) => restarts(read) && read.onFailure === 'FailFast',
  },
  {
    what: 'ttlSecondsAfterFinished, on several nodes',
    instead: 'each Job is deleted by itself, and a sync runs it again while others go on',
    applies: (read) => read.ttlSecondsAfterFinished !== undefined && isSeveral(read),
  },
  launchOrderRow,
];

/** A BroadcastJob whose template names its nodes as a Job for each of them (OpenKruise broadcastjob, section 12). */
export const broadcastJobLowering = loweringTo<Read>({
  to: { apiVersion: 'batch/v1', kind: 'Job' },
  each: 'for each node that its template names',
  stays,
  losses,
  differs: [
    'pods belong to the Job of their node, and have its labels instead of those of a BroadcastJob',
    'activeDeadlineSeconds counts from the start of each Job',
    'a changed template is refused until the Jobs are deleted',
    'there is no status of all nodes together',
  ],
  read(object, around) {
    const read = normalizeBroadcastJob(object);
    return { ...read, ...around, object, nodes: namedNodes(objectOf(read.template['spec'])) };
  },
  lower(object, read) {
    const { nodes = [], template, activeDeadlineSeconds, ttlSecondsAfterFinished } = read;
    const metadata = plainMetadata(object);
    return nodes.map((node): BuiltObject => ({
      metadata: { ...metadata, name: jobNameOf(metadata.name, node) },
      spec: plainFields({
        backoffLimit: backoffLimitOf(read),
        podReplacementPolicy: 'Failed',
        activeDeadlineSeconds,
        ttlSecondsAfterFinished,
        template: templateFor(template, node),
      }),
    }));
  },
});

/**
 * How many failures a Job bears. One whose containers are restarted fails at so many restarts, and a BroadcastJob at more than its
 * limit; with other policies than FailFast the pod goes on.
 */
function backoffLimitOf(read: Read): number {
  if (!restarts(read)) return 0;
  return read.onFailure === 'FailFast' ? read.restartLimit + 1 : UNLIMITED;
}

/** The template for one node, as the runtime assigns it: what chose the nodes goes. */
function templateFor(template: JsonObject, { by, value }: NamedNode): JsonObject {
  const { nodeName: _ignored, nodeSelector: _hostname, affinity, ...spec } = objectOf(template['spec']);
  const { nodeAffinity, ...others } = objectOf(affinity);
  const { requiredDuringSchedulingIgnoredDuringExecution: _nodes, ...preferred } = objectOf(nodeAffinity);
  const kept = plainFields({ ...others, nodeAffinity: isEmpty(preferred) ? undefined : preferred });
  const place =
    by === 'name'
      ? { affinity: affinityTo(kept, value) }
      : { nodeSelector: { [HOSTNAME]: value }, ...(isEmpty(kept) ? {} : { affinity: kept }) };
  return { ...template, spec: { ...spec, ...place } };
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
