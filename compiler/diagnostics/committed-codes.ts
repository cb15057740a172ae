import { shorten } from '../text/escape.ts';
import { shellPath } from '../text/shell-word.ts';
import { define } from './definition.ts';

/** KR30xx: what a check of the committed plans finds. */
export const committedCodes = {
  KR3018: define<{ path: string; why: string }>({
    title: 'Missing plan',
    severity: 'error',
    check: 'differs',
    message: ({ path, why }) => `${path} is missing: ${why}`,
    about:
      'A plan is committed with the change that it plans, and stays until its target changes again. Clusters that require ' +
      'plans hold a target without one.',
    remedy: 'Run kruise plan with the same paths and base, and commit what it writes.',
  }),
  KR3019: define<{ path: string; why: string }>({
    title: 'Plan out of date',
    severity: 'error',
    check: 'differs',
    message: ({ path, why }) => `${path} is out of date: ${why}`,
    about: 'The committed file is not what the manifests, kruise.yaml and the plan at base give now.',
    remedy: 'Run kruise plan with the same paths and base, and commit what it writes.',
  }),
  KR3020: define<{ path: string; why: string }>({
    title: 'Stale plan',
    severity: 'error',
    check: 'stale',
    message: ({ path, why }) => `${path} was made against another base: ${why}`,
    about:
      'A plan lists the revisions from which pods may start, and the plans before it. Both come from the base. A plan of ' +
      'another base may not list what pods run now, and clusters would hold the target.',
    remedy: 'Rebase onto the branch that the change goes to, run kruise plan, and commit what it writes.',
  }),
  KR3021: define<{ path: string; why: string }>({
    title: 'Obsolete plan',
    severity: 'error',
    check: 'differs',
    message: ({ path, why }) => `${path} is obsolete: ${why}`,
    about:
      'Its target has no manifest any more, the change that it plans is no longer there, or no root of kruise.yaml has it. ' +
      'Clusters would wait for a target or a revision that never comes. kruise plan removes such files when it writes.',
    remedy:
      'Run kruise plan with the same paths and base, and commit what it writes and removes. If git revert took a continuation ' +
      'back, kruise plan --continue writes a plan with the limits from before.',
  }),
  KR3022: define<{
    path: string;
    target: string;
    wanted: string;
    /** In its folder of plans, the plan would lie right. */
    folder: string | undefined;
    /** The folder of the run, where it is below that folder. */
    below: string | undefined;
    /** The root of the run, and the folder below it that would be the folder of plans if the plan lay right; undefined: none. */
    moved?: { root: string; out: string } | undefined;
  }>({
    title: 'Misplaced plan',
    severity: 'error',
    check: 'differs',
    message: ({ path, target, wanted }) =>
      `${path} holds a plan of ${target}, whose plan belongs in ${wanted}`,
    help: ({ path, folder, below, moved }) => {
      const remove = `rm ${shellPath(path)}`;
      if (moved !== undefined)
        return `if ${moved.out} is the folder of plans now: ${planIn(moved.root)} --out ${shellPath(moved.out)}; otherwise remove it: ${remove}`;
      if (folder === undefined) return `remove it: ${remove}`;
      return below === undefined
        ? `remove it: ${remove}; or, if ${folder} is what is synced, plan there: ${planIn(folder)}`
        : `plan in ${hereOr(folder)}, whose folder of plans has it: ${planIn(folder)}; or, if ${hereOr(below)} is what is synced, remove it: ${remove}`;
    },
    about:
      'A plan must reach the cluster with its manifest, so it belongs in the folder of plans of the run. In another place ' +
      'kruise plan does not update it, and GitOps engines may sync a second plan of the target, or none.',
    remedy:
      'Run kruise plan in the folder that is synced, or above it where its plans are kept so far, and remove the plan from ' +
      'other places.',
  }),
  KR3023: define<{ target: string; field: string; value: string | undefined; wanted: string | undefined }>({
    title: 'Edited metadata of a plan',
    severity: 'error',
    check: 'integrity',
    message({ target, field, value, wanted }) {
      const found = value === undefined ? `it has no ${field}` : `its ${field} is ${shorten(value, 60)}`;
      const written = wanted === undefined ? 'has none' : `has ${wanted}`;
      return `the plan was edited: ${found}, but the plan of ${target} ${written}`;
    },
    about:
      'The digest covers the spec alone. The metadata decides which target the plan is for, and whether other tools rewrite ' +
      'it, so it must be what kruise plan writes.',
    remedy: 'Run kruise plan with the same paths and base, and commit what it writes.',
  }),
  KR3026: define<{ path: string }>({
    title: 'Obsolete summary',
    severity: 'warning',
    message: ({ path }) => `${path} is obsolete: each plan has its own forecast`,
    about:
      'An older kruise wrote one summary for a change of more than 20 plans, in place of their forecasts, and unrelated pull ' +
      'requests collided in it. kruise plan removes it. A file of that name that somebody else wrote is left alone.',
    remedy: 'Run kruise plan with the same paths and base, and commit what it writes and removes.',
  }),
  KR3027: define<{ path: string; target: string }>({
    title: 'Plan of another base',
    severity: 'warning',
    message: ({ path, target }) =>
      `${path} was made against an older base for ${target} as it is, so neither it nor its forecast is compared`,
    help: () =>
      'compare both with the state before that change, in a folder: kruise plan --check --base-dir DIR',
    about:
      'The target is the same in both states, and the committed plan supersedes the one at base. A run with an older base ' +
      'made it, for a change that was merged without a plan. This run does not have that base, and cannot make the plan anew.',
    remedy:
      'Check out the state before that change and compare with it: kruise plan --check --base-dir DIR. A plan that kruise plan ' +
      '--again makes against this base is compared in every check.',
  }),
  KR3028: define<{ path: string; target: string; lacks: 'limits' | 'images' }>({
    title: 'Plan of an older kruise',
    severity: 'warning',
    message: ({ path, target, lacks }) =>
      `${path} does not state ${lacks === 'limits' ? `how many pods of ${target} change at a time` : `the images that pods of ${target} may still run`}: it is as an older kruise wrote it`,
    about:
      'Each step of a plan states the limits of its target, so that a manifest that allows more later does not widen what was ' +
      'reviewed. A plan without them is held to the limits that its target has when a cluster accepts it. ' +
      'An earlier revision that pods may still be on stands in a plan with its images, so that a reviewer sees what runs.',
    remedy: 'Run kruise plan with the same paths and base, and commit what it writes.',
  }),
  KR3035: define<{ what: string; by: 'ignore' | 'roots'; movedTo: string | undefined }>({
    title: 'Workload that is left out of the comparison',
    severity: 'error',
    check: 'refused',
    message: ({ what, by, movedTo }) =>
      movedTo === undefined
        ? `${what} is at base, and ${by} of kruise.yaml at head leaves it out`
        : `${what} is at base, and moved to ${shorten(movedTo, 120)}, which ${by} of kruise.yaml at head leaves out`,
    help: ({ by }) =>
      by === 'ignore'
        ? 'let ignore leave it in; if it is to go, remove it in a change of its own'
        : 'add a root that has it; if it is to go or to move, do that in a change of its own',
    about:
      'What kruise.yaml leaves out is not planned, so a change could take a workload out of every check and change it in the ' +
      'same go. Without --check it is a warning. Once base leaves it out as well, nothing is reported.',
    remedy:
      'Leave the workload in. Somebody who may merge without the check can let go of it on purpose: later changes pass.',
  }),
} as const;

function planIn(folder: string): string {
  return folder === '.' ? 'kruise plan' : `cd ${shellPath(folder)} && kruise plan`;
}

function hereOr(folder: string): string {
  return folder === '.' ? 'this folder' : folder;
}
