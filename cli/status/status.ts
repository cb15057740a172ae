import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { parseTarget, type RequestedTarget } from '../command/find-target.ts';
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
import { podStatuses, stepsOf } from './tree.ts';

/** `kruise status`: shows the progress of rollouts, once or until they end. */
export const runStatus: Run = async (host, operands, options) => {
  const refuse = (refusal: Refusal): number => {
    reportRefusal(host, 'status', refusal);
    return exitCode.error;
  };
  const asked = askedFor(operands, options);
  if (asked !== undefined && 'problem' in asked) return refuse(asked);
  const wrong = optionsProblem(asked, options);
  if (wrong !== undefined) return refuse(wrong);
  const timeout = durationOf(options, 'timeout');
  if (typeof timeout === 'object') return refuse(timeout);
  const reached = await connectCluster(host, options);
  if ('problem' in reached) return refuse(reached);
  try {
    const given = asked?.namespace ?? textOf(options, 'namespace');
    const isInNone = asked?.kind !== undefined && !isNamespaced(asked.kind);
    const place = isInNone ? '' : (given ?? reached.namespace);
    const looked: StatusQuery = {
      target: asked && { kind: asked.kind, name: asked.name },
      namespace: options['all-namespaces'] === true ? undefined : place,
      digest: textOf(options, 'digest'),
    };
    const seen = await readStatus(reached, looked);
    const statuses = matchingTargets(seen, looked);
    if ('problem' in statuses) return refuse(statuses);
    if (options['watch'] === true) {
      const { watchStatus } = await import('./watch.ts');
      return await watchStatus(host, reached, looked, seen, timeout);
    }
    print(host, reached, options, looked, statuses, seen);
    const sight = await readLeaders(reached, statuses);
    if (sight.is === 'idle') reportRefusal(host, 'status', sight);
    return verdictCode(statuses);
  } catch (error) {
    return refuse(refusalOf(reached, options, error));
  } finally {
    reached.close();
  }
};

function askedFor(operands: readonly string[], options: Options): RequestedTarget | Refusal | undefined {
  const [text, second] = operands;
  const namespace = textOf(options, 'namespace');
  if (second !== undefined)
    return { problem: 'name one target at a time', help: `for example kruise status ${exampleTarget()}` };
  if (text !== undefined) return parseTarget(text, namespace);
  if (namespace === undefined || isLabel(namespace)) return undefined;
  return {
    problem: `'${namespace}' is not a valid namespace`,
    help: 'use lower-case letters, digits and dashes',
  };
}

function optionsProblem(asked: RequestedTarget | undefined, options: Options): Refusal | undefined {
  const isAll = options['all-namespaces'] === true;
  if (isAll && asked !== undefined)
    return { problem: 'a target is in one namespace', help: 'use -n instead of -A' };
  if (isAll && options['namespace'] !== undefined)
    return { problem: '-A and -n exclude each other', help: 'omit one of the two' };
  const watches = options['watch'] === true;
  if (watches && options['output'] !== 'human')
    return { problem: '-w has only human output', help: 'omit -o, or repeat the command without -w' };
  if (!watches && options['timeout'] !== undefined) return { problem: '--timeout limits -w', help: 'add -w' };
  if (options['digest'] !== undefined && asked === undefined)
    return { problem: '--digest needs a TARGET', help: `name it, such as ${exampleTarget()}` };
  return undefined;
}

/** What a failure of reading means, and what to do: whoever may not see everything may see something. */
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
  looked: StatusQuery,
  statuses: readonly TargetStatus[],
  seen: StatusObjects,
): void {
  const now = reached.now();
  if (options['output'] === 'human') {
    host.stdout(`${renderStatus(host, now, looked, statuses, seen).join('\n')}\n`);
    return;
  }
  const targets = statuses.map((status) => machineForm(status, looked, seen, now));
  const [only] = targets;
  const value: JsonObject = looked.target !== undefined && only !== undefined ? only : { targets };
  host.stdout(options['output'] === 'json' ? forJson(value) : toYaml(value));
}

/** A status for programs. */
function machineForm(
  status: TargetStatus,
  { target }: StatusQuery,
  seen: StatusObjects,
  now: number,
): JsonObject {
  const { object: _object, plan, ...said } = status;
  const form = { ...said, digest: plan?.spec.digest ?? null };
  if (target === undefined) return form;
  const parts = {
    steps: plan === undefined ? [] : stepsOf(status, plan),
    pods: podStatuses(status, seen, now),
    events: eventsOf(status, seen.events),
  };
  return { ...form, ...(parts as unknown as Record<string, Json>) };
}
