import type { RolloutContext } from './rollout-context.ts';
import type { PodRow } from './pod-row.ts';
import { failureNote } from './problem.ts';

/** The checks that these rules judge themselves. Every other name is an entry in the runtime's configuration. */
export const BUILT_IN_CHECKS = ['pods', 'nodes'] as const;

export function isBuiltInCheck(use: string): use is (typeof BUILT_IN_CHECKS)[number] {
  return (BUILT_IN_CHECKS as readonly string[]).includes(use);
}

type Args = Readonly<Record<string, string>>;

/** `fail` fails the step; `unknown`: there is no result yet, and the step waits. */
export interface CheckJudgment {
  is: 'pass' | 'fail' | 'unknown';
  message: string;
}

const CONDITION = /^[A-Za-z][-A-Za-z0-9_./]*(=(True|False|Unknown))?$/;

/** The format of the arguments of the built-in checks. An argument that does not match is an error in the plan. */
const forms: Record<
  (typeof BUILT_IN_CHECKS)[number],
  Record<string, { form: RegExp; description: string }>
> = {
  pods: {
    available: {
      form: /^([0-9]{1,6}|(100|[0-9]{1,2})%)$/,
      description: 'a count or a whole percentage up to 100%',
    },
    restarts: { form: /^[0-9]{1,6}$/, description: 'a count' },
    condition: { form: CONDITION, description: 'a condition: Type, or Type=Status' },
  },
  nodes: {
    conditions: {
      form: /^[A-Za-z][-A-Za-z0-9_./]*(=(True|False|Unknown))?(,[A-Za-z][-A-Za-z0-9_./]*(=(True|False|Unknown))?)*$/,
      description: 'conditions, with commas between them: Ready=True,DiskPressure=False',
    },
    restarts: { form: /^[0-9]{1,6}$/, description: 'a count' },
  },
};

/** All errors in the arguments of a built-in check, as sentences. Arguments of other checks are not judged here. */
export function checkArgsProblems(use: string, args: Args = {}): string[] {
  if (!isBuiltInCheck(use)) return [];
  const known = forms[use];
  return Object.entries(args).flatMap(([name, value]) => {
    const arg = Object.hasOwn(known, name) ? known[name] : undefined;
    if (arg === undefined)
      return [`the check ${use} has no argument ${name}; it has ${Object.keys(known).join(', ')}`];
    return arg.form.test(value) ? [] : [`the argument ${name} of the check ${use} is ${arg.description}`];
  });
}

/**
 * The check `pods`: how many pods on `to` are available, how often each has restarted, and a condition that each must
 * have. Pods that were broken before the plan do not count. A pod that was created after the step started may still start.
 *
 * @param pods those on `to` that were not broken when the plan was accepted
 * @param isNew whether the pod was created or updated after the step started, or need not be available
 * @param restartsOf restarts of a pod beyond those that it had when the plan was accepted
 */
export function judgePods(
  args: Args,
  pods: readonly PodRow[],
  isNew: (pod: PodRow) => boolean,
  restartsOf: (pod: PodRow) => number,
): CheckJudgment {
  const most = Number(args['restarts'] ?? '0');
  const restarted = pods.find((pod) => restartsOf(pod) > most);
  if (restarted !== undefined) {
    const times = restartsOf(restarted);
    return {
      is: 'fail',
      message: `pod ${restarted.name} restarted ${times === 1 ? 'once' : `${times} times`}, at most ${most} allowed${failureNote(restarted)}`,
    };
  }
  if (pods.length === 0) return { is: 'unknown', message: 'no pod at `to` to judge' };
  const required = args['available'] ?? '100%';
  const wanted = Math.min(
    required.endsWith('%')
      ? Math.ceil((Number(required.slice(0, -1)) * pods.length) / 100)
      : Number(required),
    pods.length,
  );
  const available = pods.filter((pod) => pod.available).length;
  if (available < wanted) {
    const message = `${available} of ${pods.length} pods are available, required are ${required}`;
    // Pods that were created meanwhile may still become available.
    const down = pods.filter((pod) => !pod.available);
    const starting = down.filter(isNew).length;
    if (available + starting >= wanted) return { is: 'unknown', message };
    const broken = down.find((pod) => !isNew(pod));
    const example = broken === undefined ? '' : `; ${broken.name} is not${failureNote(broken)}`;
    return { is: 'fail', message: `${message}${example}` };
  }
  const condition = args['condition'];
  if (condition === undefined)
    return { is: 'pass', message: `${available} of ${pods.length} pods are available` };
  const without = pods.find((pod) => !hasCondition(pod.conditions, condition));
  if (without === undefined) return { is: 'pass', message: `every pod has ${condition}` };
  const message = `pod ${without.name} does not have ${condition}`;
  return { is: isNew(without) ? 'unknown' : 'fail', message };
}

/** The check `nodes`: the conditions of the nodes that pods on `to` run on. */
export function judgeNodes(
  args: Args,
  pods: readonly PodRow[],
  nodes: RolloutContext['nodes'],
): CheckJudgment {
  const names = [...new Set(pods.flatMap((pod) => pod.node ?? []))].sort();
  if (names.length === 0) return { is: 'unknown', message: 'no pod at `to` runs on a node' };
  const conditions = (args['conditions'] ?? 'Ready=True').split(',');
  for (const name of names) {
    const node = nodes.get(name);
    if (node === undefined) return { is: 'unknown', message: `node ${name} is not known` };
    const missing = conditions.find((condition) => !hasCondition(node.conditions, condition));
    if (missing !== undefined) return { is: 'fail', message: `node ${name} does not have ${missing}` };
  }
  return {
    is: 'pass',
    message: `${names.length === 1 ? 'the node has' : `all ${names.length} nodes have`} ${conditions.join(', ')}`,
  };
}

/** `Type` alone means `Type=True`; a missing condition has the status Unknown. */
function hasCondition(conditions: Readonly<Record<string, string>>, wanted: string): boolean {
  const [type = '', status = 'True'] = wanted.split('=');
  return (Object.hasOwn(conditions, type) ? conditions[type] : 'Unknown') === status;
}
