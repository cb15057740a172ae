import { PLANNED } from '../../compiler/plan/kinds.ts';
import { shellWord } from '../../compiler/text/shell-word.ts';
import type { State } from 'kruise-sandbox';
import { forTerminal } from '../../compiler/text/escape.ts';
import type { SandboxOptions } from './options.ts';
import { countText } from '../../semantics/values/text.ts';

export interface ReadyInfo {
  options: SandboxOptions;
  /** Without credentials. */
  url: string;
  nodes: number;
  /** The number of loaded objects, and of their files. */
  objects: number;
  files: number;
  /** The last state of the state file. */
  restored: State | undefined;
}

/** What is printed once the server answers: scripts wait for the first line, and the rest shows the user how to continue. */
export function readyScreen({ options, url, nodes, objects, files, restored }: ReadyInfo): string {
  const { kubeconfig, state, speed, runtime, load } = options;
  const facts = [
    `${countText(nodes, 'node')}; ${runtime ? 'the runtime reconciles workloads of apps.kruise.io (policy Auto)' : 'no controller reconciles workloads of apps.kruise.io (--no-runtime)'}; clock: ${speed === 1 ? 'real time' : `${speed} times as fast`}.`,
  ];
  if (nodes === 0) facts.push('Without nodes every pod stays Pending.');
  if (state !== undefined)
    facts.push(
      restored === undefined
        ? `All objects are stored in ${forTerminal(state.shown)}.`
        : `All objects are stored in ${forTerminal(state.shown)}; restored ${countText(restored.objects.length, 'object')}, at revision ${restored.revision}.`,
    );
  if (state !== undefined && restored !== undefined && options.nodes !== undefined && options.nodes !== nodes)
    facts.push('--nodes applies only to a new state file.');
  if (load.length > 0) facts.push(`Loaded ${countText(objects, 'object')} from ${countText(files, 'file')}.`);
  const targets = new Set(
    [...PLANNED.values()].map(({ resource }) => `${resource.plural}.${resource.group}`),
  );
  const hasTargets = restored?.objects.some(({ resource }) => targets.has(resource)) === true;
  const example =
    load.length > 0 || hasTargets ? 'kubectl get clone,pods -A' : 'kubectl apply -f YOUR-MANIFESTS/';
  return [
    `kruise sandbox is ready: ${url}`,
    ...facts.map((fact) => `  ${fact}`),
    '',
    'In another terminal:',
    '',
    `  export KUBECONFIG=${forTerminal(shellWord(kubeconfig.path))}`,
    '  kubectl get nodes',
    `  ${example}`,
    '  kruise status -A',
    '  kubectl get rolloutplans -A',
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
