import type { Kind } from '../../semantics/kinds/kind.ts';
import type { HealthFields, SharedStatusFacts, WantedField } from '../../semantics/kinds/status-facts.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { ENDED_BADLY } from './held.ts';

const PLANS = ['RolloutPlan', 'ClusterRolloutPlan'];

/**
 * The health checks of Argo CD for these kinds and for plans, as entries of its ConfigMap: each a script that returns the health of
 * `obj`. They look into nothing that may be absent, because one error of a script ends every sync of an Application.
 */
export function argoHealth(kinds: readonly Kind[]): string {
  return [
    ...kinds.map(({ id, facts }) => healthOf(`${id.group}_${id.kind}`, targetHealth(facts.status))),
    ...PLANS.map((kind) => healthOf(`plan.kruise.io_${kind}`, planHealth)),
  ].join('\n');
}

function healthOf(of: string, script: readonly string[]): string {
  return entry(`resource.customizations.health.${of}`, script);
}

/** `KEY: |` and the lines, indented. */
function entry(key: string, lines: readonly string[]): string {
  return [`${key}: |`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function targetHealth({ observed, health: own }: SharedStatusFacts): string[] {
  const isBad = ENDED_BADLY.map((reason) => `c.reason == "${reason}"`).join(' or ');
  return [
    ...unlessObserved(observed.by === 'generation'),
    'for _, c in ipairs(s.conditions or {}) do',
    `  if c.type == "${HELD_CONDITION}" and c.status == "True" then`,
    '    hs.status = "Suspended"',
    `    if ${isBad} then hs.status = "Degraded" end`,
    '    hs.message = c.message or c.reason or ""',
    '    return hs',
    '  end',
    'end',
    ...ownHealth(own),
    'return hs',
  ];
}

function unlessObserved(hasGeneration: boolean): string[] {
  const isOld = hasGeneration ? ' or s.observedGeneration ~= obj.metadata.generation' : '';
  return [
    'local hs = { status = "Progressing", message = "waiting for the runtime" }',
    'local s = obj.status',
    `if s == nil${isOld} then return hs end`,
  ];
}

function ownHealth(health: HealthFields): string[] {
  switch (health.by) {
    case 'numbers':
      return [
        `local wanted = ${wantedNumber(health.wanted)}`,
        `local updated, available = s.${health.updated} or 0, s.${health.available} or 0`,
        'hs.message = updated .. " of " .. wanted .. " updated, " .. available .. " available"',
        'if updated >= wanted and available >= wanted then hs.status = "Healthy" end',
      ];
    case 'phase':
      return [
        `local phase = s.${health.field} or ""`,
        'hs.message = phase',
        `if phase == "${health.done}" then hs.status = "Healthy" end`,
        `if phase == "${health.failed}" then hs.status = "Degraded" end`,
        `if phase == "${health.paused}" then hs.status = "Suspended" end`,
      ];
    case 'parts':
      return [
        `hs.message = s.${health.field} or ""`,
        `if s.${health.field} == "${health.done}" then`,
        '  hs.status = "Healthy"',
        `  if (s.${health.problem} or "") ~= "" then`,
        '    hs.status = "Degraded"',
        `    hs.message = s.${health.problem}`,
        '  end',
        `  for _, c in ipairs(s.${health.list} or {}) do`,
        `    if c.${health.part} ~= "${health.good}" then hs.status = "Degraded" end`,
        '  end',
        'end',
      ];
    case 'results':
      return [
        `local good, wanted = s.${health.good} or 0, s.${health.wanted} or 0`,
        'hs.message = good .. " of " .. wanted',
        `local ended = ${health.ended.map((field) => `(s.${field} or 0)`).join(' + ')}`,
        `if s.${health.since} ~= nil and ended >= wanted then`,
        '  hs.status = good < wanted and "Degraded" or "Healthy"',
        'end',
      ];
    case 'observation':
      return [
        'hs.status = "Healthy"',
        'hs.message = ""',
        'if (obj.spec or {}).paused == true then hs.status = "Suspended" end',
      ];
  }
}

function wantedNumber(wanted: WantedField): string {
  switch (wanted.of) {
    case 'status':
      return `s.${wanted.field} or 0`;
    case 'spec':
      return `(obj.spec or {}).${wanted.field} or ${wanted.absent}`;
  }
}

const planHealth = [
  ...unlessObserved(true),
  'hs.message = s.message or s.phase or ""',
  'for _, c in ipairs(s.conditions or {}) do',
  '  if c.type == "Stalled" and c.status == "True" then',
  '    hs.status = "Degraded"',
  '    return hs',
  '  end',
  '  if c.type == "Ready" and c.status == "True" then hs.status = "Healthy" end',
  'end',
  'return hs',
];

/** The actions in the order of the menu, with the name that users read. */
const ACTIONS = [
  ['approve', 'Approve', 'Approve this step'],
  ['pause', 'Pause', 'Pause'],
  ['resume', 'Resume', 'Resume'],
  ['abort', 'Abort', 'Abort: keep the pods as they are'],
  ['revert', 'Revert', 'Revert: take the pods back'],
] as const;

/**
 * What users may do with a plan in the interface of Argo CD: each creates the command that `kruise approve` and its siblings create.
 * The account of Argo CD sends it, so that account is in `spec.by`; who pressed the button is in the log of Argo CD.
 */
export function argoActions(): string {
  return PLANS.map((kind) => {
    const command = kind.replace('Plan', 'Command');
    return entry(`resource.customizations.actions.plan.kruise.io_${kind}`, [
      ...entry('discovery.lua', discovery).split('\n'),
      'definitions:',
      ...ACTIONS.flatMap(([name, action]) => [
        `  - name: ${name}`,
        ...entry('action.lua', commandScript(command, name, action))
          .split('\n')
          .map((line) => `    ${line}`),
      ]),
    ]);
  }).join('\n');
}

const discovery = [
  'local s = obj.status or {}',
  'local over = { Succeeded = true, Reverted = true, Aborted = true, Stale = true, Pending = true }',
  'local phase = s.phase or "Pending"',
  'local isOff = over[phase] == true or s.digest ~= (obj.spec or {}).digest',
  'local isPaused = s.pausedBy ~= nil',
  'return {',
  ...ACTIONS.map(
    ([name, , title]) => `  ${name} = { disabled = ${isDisabled(name)}, displayName = "${title}" },`,
  ),
  '}',
];

function isDisabled(name: (typeof ACTIONS)[number][0]): string {
  switch (name) {
    case 'approve':
      return 'isOff or phase ~= "AwaitingApproval"';
    case 'pause':
      return 'isOff or isPaused';
    case 'resume':
      return 'isOff or (phase ~= "Halted" and not isPaused)';
    case 'abort':
    case 'revert':
      return 'isOff';
  }
}

/**
 * A name that no other command has: the same plan may come again, while a command of before is kept for a day. Argo CD gives a
 * script no library but `table`, and an `os` with the time alone, which it has to ask for.
 */
function commandScript(kind: string, name: string, action: string): string[] {
  return [
    'local os = require("os")',
    'local s = obj.status',
    `local command = { apiVersion = "plan.kruise.io/v1alpha1", kind = "${kind}", metadata = {}, spec = {} }`,
    `command.metadata.name = obj.spec.target.name .. "-${name}-" .. os.time()`,
    'command.metadata.namespace = obj.metadata.namespace',
    'command.spec.target = obj.spec.target',
    `command.spec.action = "${action}"`,
    'command.spec.digest = s.digest',
    ...(name === 'approve' ? ['command.spec.step = s.step'] : []),
    'command.spec.by = "system:serviceaccount:argocd:argocd-server"',
    'return { { operation = "create", resource = command } }',
  ];
}
