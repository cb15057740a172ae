import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { CloneSet, CloneSetSpec, CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { Container, Pod, PodTemplateSpec } from '../../schemas/generated/types/core.ts';
import type { RolloutCommand } from '../../schemas/generated/types/rolloutcommand.ts';
import type { FieldChange, FromEntry, RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** Type names to which a generator appended a number. */
function numbered(source: string): string[] {
  const names = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => /\d$/.test(name));
}

describe('generated types', () => {
  const folder = 'schemas/generated/types';

  it.each(readdirSync(folder))('%s has no numbered twin and no any', (name) => {
    const source = readFileSync(`${folder}/${name}`, 'utf8');
    expect(numbered(source)).toEqual([]);
    expect(source).not.toMatch(/: any(\[\])*;/);
  });

  it('finds a numbered twin (control)', () => {
    expect(numbered('export interface Step {\n}\nexport type Step1 = string;\n')).toEqual(['Step1']);
  });

  it('kinds are objects of the wire', () => {
    expectTypeOf<CloneSet>().toExtend<KubeObject>();
    expectTypeOf<RolloutPlan>().toExtend<KubeObject>();
    expectTypeOf<RolloutCommand>().toExtend<KubeObject>();
    expectTypeOf<Pod>().toExtend<KubeObject>();
  });

  it('have the names and forms that the rooms rely on', () => {
    expectTypeOf<CloneSet['spec']>().toEqualTypeOf<CloneSetSpec>();
    expectTypeOf<CloneSet['status']>().toEqualTypeOf<CloneSetStatus | undefined>();
    expectTypeOf<CloneSetSpec['template']>().toEqualTypeOf<PodTemplateSpec>();
    expectTypeOf<NonNullable<PodTemplateSpec['spec']>['containers']>().toEqualTypeOf<Container[]>();
    expectTypeOf<RolloutPlan['spec']['steps']>().toEqualTypeOf<Step[]>();
    expectTypeOf<RolloutPlan['spec']['from']>().toEqualTypeOf<FromEntry[]>();
    expectTypeOf<FromEntry['fields']>().toEqualTypeOf<FieldChange[] | undefined>();
    expectTypeOf<FieldChange['effect']>().toEqualTypeOf<
      'InPlace' | 'Recreate' | 'MetadataOnly' | 'NewPodsOnly'
    >();
    expectTypeOf<KruiseConfig['images']>().toEqualTypeOf<'any' | 'tag' | 'digest' | undefined>();
  });
});
