import { type GitUnits, namedUnits } from '../../semantics/kinds/git-units.ts';
import { isPlanned, type Kind, type PlannedKind } from '../../semantics/kinds/kind.ts';
import type { Use } from '../../semantics/kinds/need.ts';

type UseTrait<Each> = Each extends { of: 'Nodes'; why: infer Why extends string }
  ? `needs Nodes for ${Why}`
  : Each extends { of: infer Of extends string }
    ? `needs ${Of}`
    : never;

/** Something that the code of the rooms does for some kinds and not for others. */
export type Trait =
  | `counts ${GitUnits['of']}`
  | UseTrait<Use>
  | 'has no plans'
  | 'makes copies'
  | 'adds to new pods'
  | 'changes new pods'
  | 'reviews what happens to pods'
  | 'names its units'
  | 'takes over a native workload';

/** The traits of a kind, by what its registration says. */
export function traitsOf(kind: Kind): Trait[] {
  const { uses, admission } = kind;
  return [
    ...(isPlanned(kind) ? traitsInGit(kind) : (['has no plans'] as const)),
    ...uses.map((use): Trait => (use.of === 'Nodes' ? `needs Nodes for ${use.why}` : `needs ${use.of}`)),
    ...(uses.some(isOfCopies) ? (['makes copies'] as const) : []),
    ...(admission?.create.of === 'injection' ? (['adds to new pods'] as const) : []),
    ...(admission?.create.of === 'new pods' ? (['changes new pods'] as const) : []),
    ...(admission?.review.of === 'pods' ? (['reviews what happens to pods'] as const) : []),
  ];
}

function isOfCopies(use: Use): boolean {
  return use.of === 'Children' && use.copies !== undefined;
}

function traitsInGit({ id, versions, git }: PlannedKind): Trait[] {
  const apiVersion = `${id.group}/${versions[0] ?? ''}`;
  const { units } = git.read({ apiVersion, kind: id.kind, metadata: { name: 'x' }, spec: {} });
  return [
    `counts ${units.of}`,
    ...(namedUnits(units) === undefined ? [] : (['names its units'] as const)),
    ...(git.native === undefined ? [] : (['takes over a native workload'] as const)),
  ];
}

/** The files that exist for a trait as globs, and the words in names of files that are about it. */
export interface TraitFiles {
  files: readonly string[];
  words: readonly string[];
}

/** A trait without files is one that lines of shared files read, or that is of every workload. */
export const TRAITS: Readonly<Record<Trait, TraitFiles>> = {
  'counts replicas': {
    files: ['semantics/plan/owned-units.ts', 'semantics/workload/*.ts', '*/*/replicas.ts'],
    words: ['owned', 'replicas'],
  },
  'counts selected': {
    files: [
      'semantics/plan/{selected-units,new-pods,selector-bound}.ts',
      'compiler/reach/{clash-rules,reach-rules}.ts',
      'compiler/{forecast/new-pods-forecast,render/new-pods-summary,render/reach-text,stages/reach}.ts',
    ],
    words: ['selected', 'reach', 'missed'],
  },
  'counts nodes': {
    files: [
      'semantics/plan/{nodes-down,step-nodes}.ts',
      'semantics/{kinds/node-updates,node/step-limit}.ts',
      'compiler/forecast/{fleet,node-model}.ts',
      'compiler/plan/batch-nodes.ts',
      'compiler/render/node-text.ts',
    ],
    words: ['fleet', 'node-model', 'node-text', 'nodes-down', 'step-nodes'],
  },
  'counts run': {
    files: ['semantics/run/*.ts', '{semantics,compiler,runtime}/*/{run-*,rerun}.ts'],
    words: ['run', 'rerun'],
  },
  'counts ticks': {
    files: [
      'semantics/children/{content,records,tick,waves}.ts',
      'semantics/plan/{on-ticks,tick-step}.ts',
      'compiler/*/{tick-*,wave-*}.ts',
    ],
    words: ['tick', 'ticks', 'schedule', 'wave', 'waves', 'children'],
  },
  'counts subsets': {
    files: [
      'semantics/children/{next-records,next-share,share-budget,share-records,share-rows,shares,subset-keys}.ts',
      'semantics/plan/{child-parts,child-rows,child-step,child-units,limit-use,share,shares-of,standing-windows,step-subsets}.ts',
      'semantics/kinds/subsets.ts',
      'compiler/{forecast/subsets,plan/batch-subsets,render/subset-text}.ts',
    ],
    words: ['child', 'share', 'shares', 'subset', 'subsets'],
  },
  'needs OwnedPods': { files: [], words: [] },
  'needs SelectedPods': {
    files: [
      'runtime/observe/{selected,selections,namespaces}.ts',
      'semantics/pod/sidecar-changes.ts',
      'compiler/reach/{reach,selects-nothing}.ts',
    ],
    words: ['selections', 'selects'],
  },
  'needs Disruption': {
    files: [
      'semantics/limits/{disruption,disruption-budgets,pod-owners}.ts',
      'runtime/observe/{disruption-budgets,owners}.ts',
    ],
    words: ['disruption', 'owners'],
  },
  // Both watch PodDisruptionBudgets.
  'needs Guards': { files: ['runtime/observe/disruption-budgets.ts'], words: [] },
  'needs Claims': {
    files: [
      'semantics/claims/*.ts',
      'compiler/*/{claims,claim-*}.ts',
      'runtime/observe/{claim-label,numbered}.ts',
    ],
    words: ['claim', 'claims', 'numbered'],
  },
  'needs Orphans': {
    files: ['runtime/observe/orphans.ts', 'semantics/revision/adopted.ts', 'semantics/workload/adopt.ts'],
    words: ['orphans', 'adopt', 'adopted'],
  },
  'needs Nodes for Spread': {
    files: ['semantics/pod/nodes.ts', 'runtime/nodes-forbidden.ts'],
    words: ['spread'],
  },
  'needs Nodes for Subsets': { files: [], words: [] },
  'needs Nodes for Placement': {
    files: ['semantics/node/{affinity,fit,node,placement,taints}.ts'],
    words: ['placement'],
  },
  'needs PodsOnNodes': {
    files: ['runtime/observe/pods-on-nodes.ts', 'semantics/node/pod-on-node.ts'],
    words: ['on-node', 'on-nodes'],
  },
  'needs Runs': { files: ['runtime/observe/runs.ts'], words: ['runs'] },
  'needs Creator': { files: ['runtime/observe/creators.ts'], words: ['creator', 'creators'] },
  'needs Children': { files: [], words: [] },
  // Every runtime watches them.
  'needs Itself': { files: [], words: [] },
  'needs Namespaces': { files: [], words: [] },
  'needs Config': { files: ['runtime/observe/names.ts'], words: [] },
  'has no plans': { files: ['{semantics,runtime}/reconcile/{standing,reconcile-standing}.ts'], words: [] },
  'makes copies': {
    files: ['compiler/{reach,stages}/copies.ts', '{compiler,runtime}/*/{copies-*,copy-*,*-copies}.ts'],
    words: ['copies', 'copy'],
  },
  // The webhook gives an order to containers of any pod, too, so that it exists for no kind.
  'adds to new pods': {
    files: [
      'semantics/kinds/pod-injector.ts',
      'semantics/registry/pod-injectors.ts',
      'semantics/pod/own-parts.ts',
      'compiler/build/sidecars.ts',
      'compiler/*/injector-*.ts',
    ],
    words: ['injector', 'injectors', 'injected', 'sidecar', 'sidecars'],
  },
  'changes new pods': { files: ['runtime/admit/{creation,recorder,deadline}.ts'], words: [] },
  'reviews what happens to pods': {
    files: ['semantics/kinds/unreviewed-requests.ts', 'runtime/admit/{disruption,recorder,deadline}.ts'],
    words: ['disruption'],
  },
  'names its units': {
    files: ['compiler/forecast/names.ts', 'compiler/*/ordinal-*.ts'],
    words: ['ordinal', 'ordinals'],
  },
  'takes over a native workload': {
    files: ['compiler/plan/handover.ts', 'compiler/load/native.ts', 'compiler/diagnostics/handover-codes.ts'],
    words: ['native', 'handover'],
  },
};

/** Files whose names have such a word in another sense. */
export const OTHER_SENSES: Readonly<Record<string, string>> = {
  'compiler/text/name-runs.ts': 'names in a row',
  'compiler/load/disruption-budget.ts': 'budgets in manifests, which are compared with every kind',
  'compiler/validate/disruption-rules.ts': 'the same',
  'runtime/plan/orphans.ts': 'plans without a target',
  'runtime/shadow/dry-run-decision.ts': 'a decision that is not executed',
};
