import type { RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { actionLines } from '../../cli/sandbox/action-lines.ts';
import type { World } from 'kruise-sandbox';
import type { ReconcileReport } from '../../runtime/runtime.ts';
import { isPlanned } from '../../semantics/kinds/kind.ts';
import { kinds, plannedKinds } from '../../semantics/registry/registry.ts';
import { isActive, isReady } from '../../semantics/pod/readiness.ts';
import { HELD_CONDITION, MISSED_CONDITION } from '../../semantics/plan/held-condition.ts';
import { HOT_UPGRADE_CONDITION } from '../../semantics/sidecarset/hot-condition.ts';
import { areOnNodes, nodeCounts, nodeTable } from './node-lines.ts';
import { copiesText, copyTable, distributions, distributionText } from './copy-lines.ts';
import { sidecarCounts, sidecarTable } from './sidecar-lines.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { isPullPod } from '../../semantics/pull/pod.ts';
import { type ContainerStatus, type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';

/** Reasons of Events about refused writes. Other Events are left out, as the actions of the runtime are logged. */
const loggedReasons = new Set(['FailedCreate', 'FailedDelete', 'FailedUpdatePodInPlace']);

/** The resources of targets that plans may be about, as commits name them. */
const targets = new Set(plannedKinds.map(({ resource: { plural, group } }) => `${plural}.${group}`));

/** Those of them whose pods count: pods that pull images are no units. */
const counted = kinds.filter(isPlanned);
const withPods = new Set(counted.map(({ resource: { plural, group } }) => `${plural}.${group}`));

/** Those of them that run once on each node. */
const runs = new Set(
  counted
    .filter(({ shape }) => shape === 'Run')
    .map(({ resource: { plural, group } }) => `${plural}.${group}`),
);

/** The resource of sets, whose pods have other owners. */
const sets = new Set(
  counted
    .filter(({ uses }) => uses.some((use) => use.of === 'SelectedPods' && use.areRead !== true))
    .map(({ resource: { plural, group } }) => `${plural}.${group}`),
);

/** The conditions of targets that are logged, each with its name in the log and what says that it is gone. */
const logged = [
  [HELD_CONDITION, 'held', 'no longer held'],
  [MISSED_CONDITION, 'pods missed', 'no pod is missed any longer'],
  [HOT_UPGRADE_CONDITION, 'hot upgrade', 'no hot upgrade is in progress'],
] as const;

export const planKinds: ReadonlySet<string> = new Set(['RolloutPlan', 'ClusterRolloutPlan']);

/** A rollout as Markdown: the commits, the output of kruise plan, and what then happened and why. */
export interface Transcript {
  commit(message: string, number: number, files: Record<string, string | undefined>): void;
  revert(message: string, number: number, to: number): void;
  planned(command: string, code: number, out: string, err: string): void;
  written(path: string, text: string): void;
  /** Adds a line of the story itself to the event log. */
  note(text: string): void;
  reconcile(report: ReconcileReport): void;
  /** Adds a table of the present pods to the event log. */
  table(title: string, pods: readonly Pod[]): void;
  text(): string;
}

export function createTranscript(clock: Clock, world: World): Transcript {
  const blocks: (string | Line[])[] = [];
  let log: Line[] = [];
  const start = clock.now();
  const pods = new Map<string, Pod>();
  const lastCounts = new Map<string, string>();
  /** Replicas of each target, including deleted ones. */
  const wanted = new Map<string, number>();
  /** The names of targets that run once on each node. */
  const runNames = new Set<string>();
  const setNames = new Set<string>();
  /** ConfigMaps, by namespace and name. */
  const copies = new Map<string, KubeObject>();
  let areCopied = false;

  function flush(): void {
    if (log.length > 0) blocks.push(log);
    log = [];
  }

  /** Time since the start of the story: `0:01:24.2`. */
  function stamp(): string {
    const tenths = Math.round((clock.now() - start) / 100);
    const two = (n: number): string => String(n).padStart(2, '0');
    const seconds = Math.floor(tenths / 10);
    return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${tenths % 10}`;
  }

  function line(who: string, text: string, target?: string): void {
    log.push({ at: stamp(), who, text, target });
  }

  /** A story about one target does not name it in every line. */
  function lineText({ at, who, text, target }: Line): string {
    const about = target === undefined || wanted.size < 2 ? '' : `${target}: `;
    return `${at}  ${who.padEnd(8)} ${about}${text}`;
  }

  world.onCommit(({ type, object, previous, resource }) => {
    if (resource === 'pods') {
      const pod = object as Pod;
      const before = previous as Pod | undefined;
      const at = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
      if (type === 'DELETED') {
        pods.delete(at);
        line('kubelet', `${pod.metadata.name} is gone`);
      } else {
        pods.set(at, pod);
        kubeletLines(before, pod);
      }
      // Pods of nobody, or of Kubernetes, are on no revision.
      const owner = ownerOf(pod);
      if (wanted.has(owner) || pod.metadata.labels?.[REVISION_LABEL] !== undefined) logCounts(owner);
      for (const set of setNames) logLast(set, sidecarCounts([...pods.values()], set));
    }
    if (resource === 'persistentvolumeclaims' && type === 'DELETED')
      line('storage', `claim ${object.metadata.name} is gone`);
    copyLines(resource, type === 'DELETED', object, previous);
    if (sets.has(resource)) setNames.add(object.metadata.name);
    if (runs.has(resource)) runNames.add(object.metadata.name);
    if (withPods.has(resource))
      wanted.set(object.metadata.name, (object['spec'] as { replicas: number }).replicas);
    if (resource === 'events' && type === 'ADDED' && loggedReasons.has(String(object['reason'])))
      line('event', `${String(object['reason'])}: ${String(object['message'])}`);
    if (resource.startsWith('rolloutcommands.') && type === 'DELETED')
      line('command', `${object.metadata.name} is gone`);
    if (/^(cluster)?rolloutplans\./.test(resource) || targets.has(resource)) conditionLines(previous, object);
  });

  function kubeletLines(before: Pod | undefined, pod: Pod): void {
    for (const status of pod.status?.containerStatuses ?? []) {
      const old = before?.status?.containerStatuses?.find((s) => s.name === status.name);
      const ended = (status['state'] as { terminated?: { reason?: string } } | undefined)?.terminated;
      const endedBefore = (old?.['state'] as { terminated?: object } | undefined)?.terminated;
      if (waitsForImage(status) && !waitsForImage(old)) {
        line('kubelet', `${pod.metadata.name} container ${status.name} cannot pull its image`);
      }
      if (ended !== undefined && endedBefore === undefined) {
        line('kubelet', `${pod.metadata.name} container ${status.name} ended: ${ended.reason ?? ''}`);
      }
      if (old !== undefined && old.restartCount !== status.restartCount) {
        line(
          'kubelet',
          `${pod.metadata.name} container ${status.name} restarted (${status.restartCount ?? 0}), ${status.image ?? ''}`,
        );
      }
    }
  }

  /** What copies are like, and how far their ResourceDistributions are. */
  function copyLines(
    resource: string,
    gone: boolean,
    object: KubeObject,
    before: KubeObject | undefined,
  ): void {
    const { namespace = '', name } = object.metadata;
    if (resource === distributions) {
      areCopied = true;
      const [was, is] = [before, object].map((each) => each && distributionText(each));
      if (gone) line('target', `${name} is gone`);
      else if (is !== was && object['status'] !== undefined) line('target', is ?? '');
    }
    if (resource !== 'configmaps') return;
    if (gone) copies.delete(`${namespace}/${name}`);
    else copies.set(`${namespace}/${name}`, object);
    if (areCopied)
      logLast(name, copiesText([...copies.values()].filter((each) => each.metadata.name === name)));
  }

  /** Logs one line when the counts have changed, at most one at a time. */
  function logCounts(target: string): void {
    logLast(target, runNames.has(target) ? nodesText(target) : countsText(target));
  }

  /** On which nodes a run is, and how it went on the others. */
  function nodesText(target: string): string {
    const own = [...pods.values()].filter((pod) => ownerOf(pod) === target);
    const nodes = (phases: readonly (string | undefined)[]): string =>
      own
        .filter(({ spec, status }) => spec.nodeName !== undefined && phases.includes(status?.phase))
        .map(({ spec }) => spec.nodeName ?? '')
        .sort(compareCodePoints)
        .join(', ');
    const parts = [
      ['running on', nodes([undefined, 'Pending', 'Running', 'Unknown'])],
      ['done on', nodes(['Succeeded'])],
      ['failed on', nodes(['Failed'])],
    ];
    const text = parts.flatMap(([what, where]) => (where === '' ? [] : [`${what} ${where}`])).join('; ');
    return text === '' ? 'none' : text;
  }

  function countsText(target: string): string {
    const active = [...pods.values()].filter(
      (pod) => isActive(pod) && !isPullPod(pod) && ownerOf(pod) === target,
    );
    if (areOnNodes(active)) return nodeCounts(active);
    const replicas = wanted.get(target) ?? 0;
    const byRevision = new Map<string, number>();
    for (const pod of active) {
      const revision = pod.metadata.labels?.[REVISION_LABEL] ?? '?';
      byRevision.set(revision, (byRevision.get(revision) ?? 0) + 1);
    }
    const sides = [...byRevision].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${n} at ${name}`);
    const there = active.length === replicas ? '' : `, ${active.length} there`;
    const where = sides.length === 0 ? '' : `; ${sides.join(', ')}`;
    return `${active.filter(isReady).length} of ${replicas} ready${there}${where}`;
  }

  /** Logs counts if they have changed, in place of others of the same moment. */
  function logLast(target: string, counts: string): void {
    if (counts === lastCounts.get(target)) return;
    const last = log.at(-1);
    const who = areCopied ? 'copies' : 'pods';
    if (last?.who === who && last.at === stamp() && last.target === target) log.pop();
    lastCounts.set(target, counts);
    line(who, counts, target);
  }

  function conditionLines(previous: KubeObject | undefined, object: KubeObject): void {
    const read = (o: KubeObject | undefined) => (o?.['status'] ?? {}) as Record<string, unknown>;
    const [before, after] = [read(previous), read(object)];
    if (planKinds.has(object.kind)) {
      const show = (s: RolloutPlanStatus): string =>
        [
          s.phase,
          s.steps && `step ${s.step ?? ''} (${s.steps})`,
          s.waitingOn && `waiting on ${s.waitingOn}`,
          s.boundedBy && `bounded by ${s.boundedBy}`,
          s.message,
        ]
          .filter(Boolean)
          .join(' · ');
      const { target } = object['spec'] as { target: { kind: string; name: string } };
      const { name } = object.metadata;
      // The only plan of a target is not named.
      const which = name === `${target.kind.toLowerCase()}-${target.name}` ? '' : `${name}: `;
      if (show(before) !== show(after) && show(after) !== '')
        line('plan', `${which}${show(after)}`, target.name);
      return;
    }
    for (const [type, name, end] of logged) {
      const text = (s: RolloutPlanStatus): string => {
        const conditions = (s['conditions'] ?? []) as { type: string; reason?: string; message?: string }[];
        const found = conditions.find((c) => c.type === type);
        if (found === undefined) return '';
        const { reason = '', message = '' } = found;
        return message.startsWith(`${reason}: `) ? `${name}: ${message}` : `${name}: ${reason}: ${message}`;
      };
      if (text(before) !== text(after)) line('target', text(after) || end, object.metadata.name);
    }
  }

  return {
    commit(message, number, files) {
      flush();
      blocks.push(`## Commit ${number}: ${message}`);
      for (const [path, text] of Object.entries(files)) {
        blocks.push(
          text === undefined ? `\`${path}\` is deleted.` : `\`${path}\`\n\n${fenced('yaml', text)}`,
        );
      }
    },
    revert(message, number, to) {
      flush();
      blocks.push(`## Commit ${number}: ${message}`, `Every file, plans included, is as in commit ${to}.`);
    },
    planned(command, code, out, err) {
      const output = [out, err]
        .filter((text) => text !== '')
        .join('\n')
        .trimEnd();
      blocks.push(`\`${command}\` exits ${code}:`, fenced('text', output));
    },
    written(path, text) {
      if (path.endsWith('.md')) {
        blocks.push(
          `\`${path}\``,
          text
            .trimEnd()
            .split('\n')
            .map((l) => (l === '' ? '>' : `> ${l}`))
            .join('\n'),
        );
      } else {
        blocks.push(`\`${path}\``, fenced('yaml', text));
      }
    },
    note: (text) => line('story', text),
    reconcile(report) {
      for (const text of actionLines(report)) line('kruise', text, report.key.name);
    },
    table(title, all) {
      flush();
      if (areCopied) {
        blocks.push(copyTable([...copies.values()]));
        return;
      }
      if (all.length > 0 && all.every((pod) => runNames.has(ownerOf(pod)))) {
        blocks.push(runTable(title, all));
        return;
      }
      if (setNames.size > 0) {
        blocks.push(sidecarTable(title, all));
        return;
      }
      if (areOnNodes(all)) {
        blocks.push(nodeTable(title, all));
        return;
      }
      const rows = all.map((pod) => {
        const status = pod.status?.containerStatuses?.[0];
        const cells = [
          pod.metadata.name,
          (pod.metadata.uid ?? '').slice(0, 8),
          pod.status?.podIP ?? '',
          pod.metadata.labels?.[REVISION_LABEL] ?? '',
          status?.image ?? '',
          String(status?.restartCount ?? 0),
          isReady(pod) ? 'yes' : 'no',
        ];
        return `| ${cells.join(' | ')} |`;
      });
      blocks.push(
        [
          `${title}:`,
          '',
          '| pod | uid | IP | revision | image | restarts | ready |',
          '|---|---|---|---|---|---|---|',
          ...rows,
        ].join('\n'),
      );
    },
    text() {
      flush();
      const texts = blocks.map((block) =>
        typeof block === 'string' ? block : ['```text', ...block.map(lineText), '```'].join('\n'),
      );
      return `${texts.join('\n\n')}\n`;
    },
  };
}

/** The pods of runs. */
function runTable(title: string, pods: readonly Pod[]): string {
  const rows = pods.map(({ metadata, spec, status }) => {
    const cells = [metadata.name, spec.nodeName ?? '', spec.containers[0]?.image ?? '', status?.phase ?? ''];
    return `| ${cells.join(' | ')} |`;
  });
  return [`${title}:`, '', '| pod | node | image | phase |', '|---|---|---|---|', ...rows].join('\n');
}

function waitsForImage(status: ContainerStatus | undefined): boolean {
  const { waiting } = (status?.['state'] ?? {}) as { waiting?: { reason?: string } };
  return waiting?.reason === 'ErrImagePull' || waiting?.reason === 'ImagePullBackOff';
}

/** One line of the event log. */
interface Line {
  at: string;
  who: string;
  text: string;
  /** The workload that the line is about. */
  target: string | undefined;
}

/** The name of the workload that a pod belongs to. */
function ownerOf({ metadata: { ownerReferences } }: Pod): string {
  return ownerReferences?.find((reference) => reference.controller === true)?.name ?? '';
}

function fenced(language: string, text: string): string {
  return ['```' + language, text.trimEnd(), '```'].join('\n');
}
