import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { parseObject, type RequestedTarget } from '../command/find-target.ts';
import { exampleTarget, isNamespaced } from '../command/kind-names.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';
import { toYaml } from '../../compiler/render/yaml.ts';
import { forJson } from '../../compiler/text/escape.ts';
import { isLabel } from '../../compiler/text/names.ts';
import { durationOf, connectCluster, textOf, type ClusterAccess } from '../cluster/cluster.ts';
import { exitCode, type Options, type Run } from '../command/command.ts';
import { reportRefusal } from '../command/report.ts';
import { readLeaders } from './leaders.ts';
import { renderStatus, readStatus, matchingTargets, verdictCode, type StatusQuery } from './read-status.ts';
import { eventsOf, type StatusObjects, type TargetStatus } from './read.ts';
import { podStatuses } from './pods.ts';
import { stepsOf } from './tree.ts';

/** `kruise status`: shows the progress of rollouts, once or until they end. */
export const runStatus: Run = async (host, operands, options) => {
  const refuse = (refusal: Refusal): number => {
    reportRefusal(host, 'status', refusal);
    return exitCode.error;
  };
  const requested = requestedTarget(operands, options);
  if (requested !== undefined && 'problem' in requested) return refuse(requested);
  const wrong = optionsProblem(requested, options);
  if (wrong !== undefined) return refuse(wrong);
  const timeout = durationOf(options, 'timeout');
  if (typeof timeout === 'object') return refuse(timeout);
  const reached = await connectCluster(host, options);
  if ('problem' in reached) return refuse(reached);
  try {
    const requestedNamespace = requested?.namespace ?? textOf(options, 'namespace');
    const isInNone = requested?.kind !== undefined && !isNamespaced(requested.kind);
    const namespace = isInNone ? '' : (requestedNamespace ?? reached.namespace);
    const query: StatusQuery = {
      target: requested && { kind: requested.kind, name: requested.name },
      namespace: options['all-namespaces'] === true ? undefined : namespace,
      digest: textOf(options, 'digest'),
      labels: textOf(options, 'selector'),
      phases: phasesOf(options),
    };
    const objects = await readStatus(reached, query);
    const statuses = matchingTargets(objects, query);
    if ('problem' in statuses) return refuse(statuses);
    if (options['watch'] === true) {
      const { watchStatus } = await import('./watch.ts');
      return await watchStatus(host, reached, query, objects, timeout);
    }
    if (options['output'] === 'html') {
      const { statusPage } = await import('./page.ts');
      host.stdout(statusPage(statuses, reached.now()));
    } else print(host, reached, options, query, statuses, objects);
    const coverage = await readLeaders(reached, statuses);
    if (coverage.is === 'idle') reportRefusal(host, 'status', coverage);
    return verdictCode(statuses);
  } catch (error) {
    return refuse(refusalOf(reached, options, error));
  } finally {
    reached.close();
  }
};

function requestedTarget(
  operands: readonly string[],
  options: Options,
): RequestedTarget | Refusal | undefined {
  const [text, second] = operands;
  const namespace = textOf(options, 'namespace');
  if (second !== undefined)
    return { problem: 'name one target at a time', help: `for example kruise status ${exampleTarget()}` };
  if (text !== undefined) return parseObject(text, namespace);
  if (namespace === undefined || isLabel(namespace)) return undefined;
  return {
    problem: `'${namespace}' is not a valid namespace`,
    help: 'use lower-case letters, digits and dashes',
  };
}

/** The phases that were asked for; undefined: any. The option may be repeated. */
function phasesOf(options: Options): readonly string[] | undefined {
  const { phase } = options;
  return Array.isArray(phase) ? (phase as readonly string[]) : undefined;
}

function optionsProblem(requested: RequestedTarget | undefined, options: Options): Refusal | undefined {
  const isAll = options['all-namespaces'] === true;
  if (isAll && requested !== undefined)
    return { problem: 'a target is in one namespace', help: 'use -n instead of -A' };
  if (isAll && options['namespace'] !== undefined)
    return { problem: '-A and -n exclude each other', help: 'omit one of the two' };
  const filter = ['selector', 'phase'].find((name) => options[name] !== undefined);
  if (filter !== undefined && requested !== undefined)
    return { problem: `--${filter} chooses among targets, and one is named`, help: 'omit one of the two' };
  const watches = options['watch'] === true;
  if (watches && options['output'] !== 'human')
    return { problem: '-w has only human output', help: 'omit -o, or repeat the command without -w' };
  if (!watches && options['timeout'] !== undefined) return { problem: '--timeout limits -w', help: 'add -w' };
  if (options['digest'] !== undefined && requested === undefined)
    return { problem: '--digest needs a TARGET', help: `name it, such as ${exampleTarget()}` };
  return undefined;
}

/** Explains a failed read. If listing all namespaces is forbidden, one may be allowed. */
function refusalOf(reached: ClusterAccess, options: Options, error: unknown): Refusal {
  const { problem, help } = reached.explain(error);
  const isForbiddenEverywhere =
    options['all-namespaces'] === true && error instanceof ApiError && error.status.code === 403;
  return isForbiddenEverywhere ? { problem, help: 'choose one namespace with -n NAME' } : { problem, help };
}

function print(
  host: Host,
  reached: ClusterAccess,
  options: Options,
  query: StatusQuery,
  statuses: readonly TargetStatus[],
  objects: StatusObjects,
): void {
  const now = reached.now();
  if (options['output'] === 'human') {
    host.stdout(`${renderStatus(host, now, query, statuses, objects).join('\n')}\n`);
    return;
  }
  const targets = statuses.map((status) => machineForm(status, query, objects, now));
  const [only] = targets;
  const value: JsonObject = query.target !== undefined && only !== undefined ? only : { targets };
  host.stdout(options['output'] === 'json' ? forJson(value) : toYaml(value));
}

/** A status for JSON and YAML. */
function machineForm(
  status: TargetStatus,
  { target }: StatusQuery,
  objects: StatusObjects,
  now: number,
): JsonObject {
  const { object: _object, plan, ...printed } = status;
  const form = { ...printed, digest: plan?.spec.digest ?? null };
  if (target === undefined) return form;
  const parts = {
    steps: plan === undefined ? [] : stepsOf(status, plan),
    pods: podStatuses(status, objects, now),
    events: eventsOf(status, objects.events),
  };
  return { ...form, ...(parts as unknown as Record<string, Json>) };
}
