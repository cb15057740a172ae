import type { Layout, RenderedFolder } from './layout.ts';

/** A root of `kruise.yaml`. */
export interface Root {
  name: string;
  path: string;
  /** Undefined: its manifests are applied as they are. */
  by: RenderedFolder['by'] | undefined;
}

const MOST_NAME = 63;

/**
 * The roots of a repository: none where all manifests are as they are. Each is named by the end of its path, as much of it as tells it
 * from the others.
 */
export function rootsOf({ plain, rendered }: Layout): Root[] {
  if (rendered.length === 0) return [];
  const folders = plain.filter((path) => path !== '.').map((path) => ({ path, by: undefined }));
  return named([...folders, ...rendered]);
}

function named(folders: readonly Omit<Root, 'name'>[]): Root[] {
  const names = new Map<string, number>();
  const nameOf = (path: string, parts: number): string =>
    path
      .split('/')
      .slice(-parts)
      .join('-')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(-MOST_NAME)
      .replace(/^-/, '')
      .replace(/-$/, '') || 'root';
  for (const { path } of folders) names.set(nameOf(path, 1), (names.get(nameOf(path, 1)) ?? 0) + 1);
  const taken = new Set<string>();
  return folders.map((folder) => {
    const short = nameOf(folder.path, 1);
    const wanted = names.get(short) === 1 ? short : nameOf(folder.path, Infinity);
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, MOST_NAME - 8)}-${n}`;
    taken.add(name);
    return { ...folder, name };
  });
}

/** `kruise.yaml` of a new repository: everything that most teams change is there, with what it is for. */
export function configText(roots: readonly Root[], hasPackage: boolean): string {
  const schema = hasPackage
    ? ['# yaml-language-server: $schema=node_modules/kruise/dist/schemas/kruise.json']
    : [];
  const rendered =
    roots.length === 0
      ? []
      : [
          '# What is applied is what these commands print. They run only with --allow-render.',
          'roots:',
          ...roots.map(
            ({ name, path, by }) => `  - { name: ${name}, path: ${quoted(path)}${renderOf(name, by)} }`,
          ),
          '',
        ];
  return `${[
    ...schema,
    '# How the workloads of this repository are rolled out. The first rule that matches a target is used.',
    ...rendered,
    'steps:',
    '  - match: {} # every target; { namespace: shop } narrows it',
    '    batches: [{ to: 5%, atLeast: 1 }, { to: 50% }, { to: 100% }]',
    '    between: { soak: 10m } # wait this long after each batch but the last',
    '    # approve: [1] # a person must agree after batch 1',
    '    onFailure: Halt # or Revert: take the pods back',
  ].join('\n')}\n`;
}

function renderOf(name: string, by: Root['by']): string {
  switch (by) {
    case undefined:
      return '';
    case 'kustomize':
      return ', render: [kubectl, kustomize, .]';
    case 'helm':
      return `, render: [helm, template, ${name}, .]`;
  }
}

/** A path in YAML, in a list in braces. */
function quoted(path: string): string {
  return /^[A-Za-z0-9_./-]+$/.test(path) ? path : JSON.stringify(path);
}

/** The line of `.gitattributes`: a plan is compared byte for byte, and two plans are never merged line by line. */
export const ATTRIBUTES = 'plans/** text eol=lf -merge';

/**
 * A workflow of GitHub that checks the plans of a pull request, by the action in `deploy/ci/github/plan`. It needs no secret, so that it
 * works for forks.
 */
export function githubWorkflow(version: string, isRendered: boolean): string {
  return `name: plans
on: [pull_request, merge_group]
permissions: { contents: read }
jobs:
  plans:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4 # the merge of the pull request into its base
        with: { fetch-depth: 0, persist-credentials: false } # the merge base has to be there
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - uses: OWNER/REPOSITORY/deploy/ci/github/plan@v${version} # where you keep kruise
${isRendered ? '        with: { arguments: --allow-render }\n' : ''}`;
}

/** The same for GitLab, by the template `deploy/ci/gitlab.yml`, which has the job that writes a note, too. */
export function gitlabPipeline(version: string, isRendered: boolean): string {
  return `include:
  - remote: https://HOST/OWNER/REPOSITORY/-/raw/v${version}/deploy/ci/gitlab.yml # where you keep kruise
variables:
  KRUISE_REPOSITORY: https://HOST/OWNER/REPOSITORY.git
  KRUISE_VERSION: v${version}
${isRendered ? '  KRUISE_ARGUMENTS: --allow-render\n' : ''}`;
}
