import { PLAN_FROM_BEFORE, planFromBefore } from '../../semantics/plan/remediation-command.ts';
import type { BoundPart } from '../plan/bound.ts';
import { shorten } from '../text/escape.ts';
import { shellPath, shellWord } from '../text/shell-word.ts';
import { define } from './definition.ts';
import { didYouMean } from './phrases.ts';

/** KR30xx: plans. */
export const planCodes = {
  KR3001: define<{ stated: string; actual: string }>({
    title: 'Plan was edited',
    severity: 'error',
    check: 'integrity',
    message: ({ stated, actual }) =>
      `the plan was edited: its digest is ${shorten(stated, 40)}, but its content has ${actual}`,
    about:
      'A plan is generated and contains a digest of its content. The runtime refuses an edited plan too.',
    remedy: 'Run kruise plan, which writes it anew or restores it, and commit what it writes.',
  }),
  KR3002: define<{ detail: string }>({
    title: 'Invalid plan',
    severity: 'error',
    check: 'integrity',
    message: ({ detail }) => `the plan is invalid: ${detail}`,
    about:
      'The runtime refuses an invalid plan. At base, a plan whose digest verifies may be one of a newer kruise: it lists ' +
      'revisions that pods may still run, and the new plan must list them too.',
    remedy:
      'Delete the file and run kruise plan, which writes it anew or restores it. At base, use the version of kruise that wrote ' +
      'it.',
  }),
  KR3003: define<{ target: string }>({
    title: 'Two plans for one target',
    severity: 'error',
    check: 'integrity',
    message: ({ target }) => `two plans are for ${target}`,
    about: 'A target has one plan. The runtime would hold the target until one of the two is deleted.',
    remedy:
      'Delete the plan that is not in the folder of the target. Of several roots, name one: --out plans/ROOT.',
  }),
  KR3004: define<{ steps: number; limit: number }>({
    title: 'Too many steps',
    severity: 'error',
    message: ({ steps, limit }) => `the plan would have ${steps} steps, more than ${limit}`,
    about: 'The limit keeps plans readable for reviewers.',
    remedy: 'Use fewer batches in kruise.yaml.',
  }),
  KR3005: define<{ bytes: number; limit: number }>({
    title: 'Plan too large',
    severity: 'error',
    message: ({ bytes, limit }) => `the plan would have ${bytes} bytes, more than ${limit}`,
    about: 'The cluster stores a plan as an object and as a revision of its target. Both have size limits.',
    remedy: 'Change fewer containers or fields in one commit.',
  }),
  KR3006: define<{ field: string; plan: string; target: string; isReturn: boolean }>({
    title: 'Window wider than the target allows',
    severity: 'warning',
    message: ({ field, plan, target }) =>
      `the step's ${field} ${plan} is more than the target's own ${target}: the lower one applies at any time`,
    help: ({ isReturn }) =>
      `${isReturn ? 'lower the limit of --going-back' : 'narrow the window in kruise.yaml'}, or raise the field in the manifest`,
    about:
      'A step can only lower the limits of the object. To go faster, raise the field in the manifest: what is raised while the ' +
      'plan runs applies at once, up to the limits of the step.',
    remedy:
      'Narrow the window in kruise.yaml, or the limit of --going-back, or raise the field in the manifest.',
  }),
  KR3007: define<{ target: string; what: 'partition' | 'selector' }>({
    title: 'Old revision unknown',
    severity: 'warning',
    message: ({ target, what }) =>
      `only the ${what} of ${target} changes, and no plan at base lists the revision of the pods that it retains`,
    about:
      'A plan updates only pods on revisions that it lists. Without a plan at base that revision is unknown.',
    remedy:
      'If pods are on another revision, the plan waits. Plan with a base that has the template of these pods.',
  }),
  KR3008: define<{ path: string; target: string }>({
    title: 'Plan without a change',
    severity: 'warning',
    message: ({ path, target }) =>
      `${path} plans no change between base and head, but leads to ${target} as it is: nothing compares it and its forecast`,
    help: ({ path }) =>
      `keep it if it plans a change that was merged without a plan; otherwise delete it: rm ${shellPath(path)}`,
    about:
      'The target is the same in both states, or new, and the base has no plan of it. Such a plan is for a change that ' +
      'was merged without one. A plan that leads elsewhere is obsolete instead (KR3021).',
    remedy: 'Keep it if it plans a change that was merged without a plan. Otherwise delete it.',
  }),
  KR3009: define<{ name: string; limit: number }>({
    title: 'Name too long',
    severity: 'error',
    message: ({ name, limit }) =>
      `the plan would be named ${shorten(name, 60)}, longer than the limit of ${limit} characters`,
    about: 'A plan is named after kind and name of its target, and object names have a limit.',
    remedy: 'Use a shorter name for the object.',
  }),
  KR3010: define<{ path: string; isConflict: boolean }>({
    title: 'Edited plan is overwritten',
    severity: 'warning',
    message: ({ path, isConflict }) =>
      isConflict
        ? `${path} has a conflict of a merge: kruise plan overwrites it`
        : `${path} was edited: kruise plan overwrites it`,
    help: ({ path, isConflict }) =>
      isConflict
        ? `resolve conflicts in the manifests first; this file is then resolved: git add ${shellPath(path)}`
        : undefined,
    about:
      'Its content is not what kruise plan wrote. A plan is generated from the manifests and kruise.yaml, so edits are ' +
      'lost. A check reports the edit itself (KR3001, KR3002, KR3023).',
    remedy: 'Make the change in kruise.yaml instead.',
  }),
  KR3011: define<{
    target: string | undefined;
    reason: string;
    suggestion: string | undefined;
    /** The target, or each one, has no plan at base. */
    lacksPlan: boolean;
  }>({
    title: 'Nothing to plan again',
    severity: 'error',
    message: ({ target, reason }) =>
      `${target === undefined ? 'nothing can' : `${target} cannot`} be planned again: ${reason}`,
    help: ({ suggestion, lacksPlan }) => {
      if (lacksPlan)
        return `plan from the state before the commit that changed the manifest (COMMIT): ${PLAN_FROM_BEFORE}`;
      return didYouMean(suggestion);
    },
    about:
      'plan --again is for targets that have a plan at base and the same template and bound in both states. ' +
      'All other changes are planned without it.',
    remedy:
      'Omit --again, or name a target whose plan at base has failed. Without a plan at base, plan from the state ' +
      `before the commit that changed the manifest: ${PLAN_FROM_BEFORE}`,
  }),
  KR3012: define<{
    target: string;
    again: string;
    promised: string;
    reason: string;
    /** As for a change without a plan. */
    path: string | undefined;
    isCommitted: boolean;
  }>({
    title: 'Plan at base allows too little',
    severity: 'warning',
    message: ({ target, promised, reason }) =>
      `the plan of ${target} allows ${promised} at most, but ${reason} now: clusters that have not run it yet will refuse ` +
      'it (ModeMismatch)',
    help: ({ again, path, isCommitted }) =>
      isCommitted ? `write a new plan: kruise plan --again --target ${again}` : planHere(path),
    about:
      'A plan states the most disruptive change to a pod that it allows. With the new update policy the same change is ' +
      'more disruptive, and the runtime refuses it because it was not reviewed. Git does not show which clusters have ' +
      'run the plan already. kruise plan compares the two states; kruise validate compares the manifest with the plan ' +
      'next to it.',
    remedy:
      'Run kruise plan --again, in this commit or a later one. Ignore this if every cluster has run the plan.',
  }),
  KR3013: define<{
    target: string;
    again: string;
    what: 'template' | BoundPart | 'run';
    /** The path to plan; undefined if the manifest is in no file. */
    path: string | undefined;
    /** Whether base has the change as well; otherwise it may be the one that is being made. */
    isCommitted: boolean;
  }>({
    title: 'Change without a plan',
    severity: 'warning',
    message({ target, what }) {
      if (what === 'run')
        return `the plan of ${target} is for another run: clusters start nothing for this one`;
      return `the ${what} of ${target} was ${what === 'partition' ? 'lowered' : 'changed'} without a plan: clusters hold the change`;
    },
    help({ again, what, path, isCommitted }) {
      if (!isCommitted) {
        const plan = `plan it: kruise plan${path === undefined ? '' : ` ${shellPath(path)}`}`;
        return what === 'run'
          ? `${plan}; or leave it, if the manifest went back to a run that is over`
          : plan;
      }
      if (what === 'run')
        return `plan it: kruise plan --again --target ${again}; leave it as it is if the manifest went back to a run that is over`;
      const assumed = what === 'template' ? ', which assumes that pods are recreated' : '';
      return `${fromBefore(path)}; or run kruise plan --again --target ${again}${assumed}`;
    },
    about:
      'The manifest is the same at base and head, but the plan at base leads to another template or bound. Somebody, ' +
      'often a bot, changed the manifest without a plan. Clusters that require plans hold the target until there is ' +
      'one. There is no warning if the manifest went back to where the plan starts, which needs no plan, or if there is ' +
      'no plan at base. A run that went back has the warning: git alone does not show whether that run is over. kruise ' +
      'validate compares the manifest with the plan next to it, so there the change may be one that is not committed yet.',
    remedy:
      `Run kruise plan for a change that is not merged. For another, plan from the state before the commit that changed the manifest, so that the plan lists what changes: ${PLAN_FROM_BEFORE}. Or run ` +
      'kruise plan --again, which assumes that pods are recreated.',
  }),
  KR3014: define<{ path: string }>({
    title: 'Plan of a newer base',
    severity: 'error',
    check: 'stale',
    message: ({ path }) =>
      `${path} was made against a newer base: it supersedes a plan that this base does not have`,
    about:
      'The plan at head lists the plans before it. This base has only an older one of them. A plan from this base would ' +
      'leave out revisions that pods may run, and take them back.',
    remedy:
      'Run kruise plan without --base: it plans against the branch that the change goes to. ' +
      'If the plan at head was never merged, delete it and plan again.',
  }),
  KR3015: define<{ target: string; base: string; branch: string }>({
    title: 'Base is not the target branch',
    severity: 'error',
    message: ({ target, base, branch }) =>
      `${target} has another template on ${branch} than at the base ${base}, and no plan would list it`,
    help: ({ branch }) => `plan against that branch: kruise plan --base ${shellWord(branch)}`,
    about:
      'The base is not where the change left the branch that it goes to. Pods may run what is there, and a plan acts ' +
      'only on revisions that it lists.',
    remedy: 'Plan against the branch that the change goes to, without --base.',
  }),
  KR3016: define<{ workloads: number }>({
    title: 'Base without manifests',
    severity: 'warning',
    message: ({ workloads }) =>
      `${workloads} workloads would be created without a plan: is the base right? It has no workload under these paths`,
    about:
      'The first rollout of a new workload needs no plan. A base that has nothing else is often the wrong one.',
    remedy: 'Check the base, unless these are the first manifests in the repository.',
  }),
  KR3017: define<{
    target: string;
    file: string;
    /** The files at head that have it: that one, and the compared one. */
    files: readonly [there: string, here: string];
  }>({
    title: 'Workload that is elsewhere at base',
    severity: 'error',
    message: ({ target, file }) => `${target} looks new, but at base it is in ${file}, which is not compared`,
    help: ({ files: [there, here] }) =>
      `${there} and ${here} both have it: remove it from one; if each is for a cluster of its own, make their folders roots of kruise.yaml`,
    about:
      'A new workload needs no plan. This one is elsewhere in the repository, at base and at head, and may have another ' +
      'template there. One that was moved is compared with what it was.',
    remedy:
      'Remove it from one of the two files. If each is for a cluster of its own, make their folders `roots` of kruise.yaml.',
  }),
  KR3024: define<{ root: string; base: string; folder: string }>({
    title: 'Base of another layout',
    severity: 'error',
    message: ({ root, base, folder }) => `${root} is not laid out like the base ${base}, but like ${folder}`,
    help: ({ folder }) => `name that folder: --base-dir ${shellPath(folder)}`,
    about:
      'Manifests and plans are compared at the same paths below head and base. The base is a folder above the one that ' +
      'belongs to head, so other workloads would look deleted, and the plans at base would not be found.',
    remedy: 'Name the folder of the base that head is a later state of.',
  }),
  KR3025: define<{
    target: string;
    /** The path to plan for a change that has no plan then; undefined if there is no such change, or the manifest is in no file. */
    path: string | undefined;
    problem: 'edited' | 'invalid' | 'another' | 'two';
    /** What counts as the plan at base: the newest valid version in its history, the one of two at its place, or nothing. */
    counts: 'earlier' | 'its place' | 'none';
  }>({
    title: 'Plan at base that does not count',
    severity: 'warning',
    message({ target, problem, counts }) {
      const instead = {
        earlier: 'its newest valid version in the history counts instead',
        'its place': 'the one at its place counts',
        none: problem === 'two' ? 'neither counts' : 'it counts as missing',
      };
      const what = {
        edited: `the plan of ${target} was edited, and no cluster executes it`,
        invalid: `the plan of ${target} is invalid, and no cluster executes it`,
        another: `the file of the plan of ${target} has the plan of another target`,
        two: `two plans are for ${target}`,
      };
      return `at base ${what[problem]}: ${instead[counts]}`;
    },
    help: ({ target, path, counts }) =>
      counts !== 'none' || path === undefined
        ? 'kruise plan mends the file: commit what it writes'
        : `kruise plan mends the file: commit what it writes; if clusters hold ${target} afterwards, ${fromBefore(path)}`,
    about:
      'Clusters execute only plans whose digest verifies, one for each target. What was edited at base has had no effect, ' +
      'so it is left out of account, and a run for other targets is not stopped. Head must not have it: a check there ' +
      'reports it as an error.',
    remedy: 'Run kruise plan, and commit what it writes.',
  }),
  KR3029: define<{
    target: string | undefined;
    reason: string;
    suggestion: string | undefined;
    /** `KIND/NAME` of a target that can be continued if it is named, as its plan states no limits. */
    unstated: string | undefined;
  }>({
    title: 'Nothing to continue',
    severity: 'error',
    message: ({ target, reason }) =>
      `${target === undefined ? 'nothing can' : `${target} cannot`} be continued: ${reason}`,
    help: ({ suggestion, unstated }) =>
      unstated === undefined
        ? didYouMean(suggestion)
        : `name it, as its plan states no limits: kruise plan --continue --target ${unstated}`,
    about:
      'plan --continue is for targets whose plan at base leads to their manifest, and states other limits of how many pods ' +
      'change at a time. It takes all else of that plan over.',
    remedy:
      'Omit --continue, or change the limits of the manifest or of kruise.yaml. What changes otherwise is planned as usual.',
  }),
  KR3030: define({
    title: 'Nothing goes back',
    severity: 'error',
    message: () => 'no manifest goes back to where its plan at base starts, so --going-back limits nothing',
    about:
      'plan --going-back is for a revert: a cluster goes back by itself, and takes as many pods at a time as the plan of the ' +
      'revert states.',
    remedy: 'Omit --going-back, or revert the manifest first.',
  }),
  KR3036: define<{ step: string; size: string; limits: string }>({
    title: 'Limits kept',
    severity: 'warning',
    message: ({ step, size, limits }) =>
      `step ${step} keeps ${limits}: no batch of kruise.yaml leads to ${size}`,
    help: ({ size }) =>
      `if it is to have other ones: give kruise.yaml a batch to ${size} with a window, until the plan has ended`,
    about:
      'plan --continue gives a step the limits of the batch of its size. Where there is none, the step keeps those that were ' +
      'reviewed: those of the manifest may be wider.',
    remedy: 'Give kruise.yaml a batch of that size as long as the plan runs, or leave the step as it is.',
  }),
  KR3037: define<{ number: number; problem: string }>({
    title: 'Nodes that cannot be selected',
    severity: 'error',
    check: 'refused',
    message: ({ number, problem }) => `nodes of batch ${number} is no selector of some nodes: ${problem}`,
    about:
      'nodes selects the nodes that a batch is about by their labels, as a LabelSelector. A step that selects other nodes than its ' +
      'author means would update these.',
    remedy: 'Correct the selector, or leave nodes out: a batch without it is about every node.',
  }),
  KR3038: define<{ number: number; key: string }>({
    title: 'Nodes by name',
    severity: 'error',
    check: 'refused',
    message: ({ number, key }) => `nodes of batch ${number} selects nodes by their names: ${key}`,
    help: () => 'label the nodes, and select them by that label',
    about:
      'Names of nodes never enter git: a node that is replaced has another one, and a plan holds in several clusters. With names ' +
      'the step would be about no node sooner or later.',
    remedy: 'Give the nodes a label of their own, such as track=canary, and select them by it.',
  }),
  KR3039: define<{ number: number }>({
    title: 'The last batch is not for every node',
    severity: 'error',
    check: 'refused',
    message: ({ number }) =>
      `batch ${number} is the last one and only for nodes with labels, so the rollout would never be complete`,
    about:
      'A plan that cannot succeed would stay active and hold the next change. Other nodes would never get it.',
    remedy:
      'Add {to: "100%"} without nodes as the last batch. To update only some nodes on purpose, set the selector of the manifest.',
  }),
  KR3040: define<{ number: number; field: string }>({
    title: 'Setting of an update in a wave',
    severity: 'error',
    check: 'refused',
    message: ({ number, field }) => `${field} of wave ${number} has no meaning: a wave is a part of a run`,
    help: () => 'write parallelism and spread instead',
    about:
      'A run makes no pod unavailable, and goes over every node that fits. If the setting were ignored, more would happen at a time ' +
      'than the rule says.',
    remedy: 'Remove the field from the wave.',
  }),
  KR3041: define<{ number: number; subsets: string }>({
    title: 'The last batch is not for every subset',
    severity: 'error',
    check: 'refused',
    message: ({ number, subsets }) =>
      `batch ${number} is the last one and for ${shorten(subsets, 200)} alone, so the rollout would never be complete`,
    about:
      'A plan that cannot succeed would stay active and hold the next change. Pods of other subsets, and of those that are added ' +
      'later, would never get it.',
    remedy: 'Add {to: "100%"} without subsets as the last batch.',
  }),
} as const;

/** The advice for a change that is being made: the run says itself what base has. */
function planHere(path: string | undefined): string {
  return `plan it: kruise plan${path === undefined ? '' : ` ${shellPath(path)}`}`;
}

/** The advice for a change that is committed already. */
function fromBefore(path: string | undefined): string {
  const command = path === undefined ? PLAN_FROM_BEFORE : planFromBefore(shellPath(path));
  return `plan from the state before the commit that changed it (COMMIT): ${command}`;
}
