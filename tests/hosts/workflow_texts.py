"""Invented workflows and pipelines whose tools fill values in."""

from __future__ import annotations

ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: evaluate-}
spec:
  entrypoint: main
  arguments:
    parameters:
      - name: model
        value: org/wren-7b
      - {name: tag, value: v0.5.18-cu129}
      - {name: fraction, value: 0.90}   # a number, printed as one
      - name: given-at-submit
  templates:
    - name: main
      dag:
        tasks:
          - name: serve
            template: serve
            arguments:
              parameters:
                - name: model
                  value: "{{workflow.parameters.model}}"
                - {name: tp, value: "4"}
                - {name: shard, value: "{{item}}"}
            withItems: [0, 1]
          - {name: probe, template: probe}
          - name: twice
            template: twice
            arguments: {parameters: [{name: page, value: "1"}]}
          - name: thrice
            template: twice
            arguments: {parameters: [{name: page, value: "64"}]}
    - name: serve
      inputs:
        parameters:
          - name: model
          - {name: tp, value: "2"}
          - {name: shard, default: "0"}
          - {name: backend, default: triton}
      container:
        image: lmsysorg/sglang:{{workflow.parameters.tag}}
        command: [python3, -m, sglang.launch_server]
        env:
          - {name: PORT, value: "30000"}
          - {name: BACKEND, value: "{{inputs.parameters.backend}}"}
          - {name: SHARD, value: "{{inputs.parameters.shard}}"}
        args:
          - --model-path
          - "{{inputs.parameters.model}}"
          - --tp-size={{ inputs.parameters.tp }}
          - --mem-fraction-static
          - "{{workflow.parameters.fraction}}"
          - --attention-backend=$(BACKEND)
          - --port=$(PORT)
          - --random-seed
          - "{{inputs.parameters.shard}}"
          - --log-level={{workflow.parameters.given-at-submit}}
    - name: twice
      inputs: {parameters: [{name: page, value: "32"}]}
      script:
        image: lmsysorg/sglang:v0.5.20
        command: [bash]
        source: |
          sglang serve --model-path {{workflow.parameters.model}} --page-size {{inputs.parameters.page}} \\
            --host {{=inputs.parameters.page}}
    - name: probe
      container: {image: curlimages/curl, command: [curl, "{{workflow.parameters.model}}"]}
"""

GITHUB = """\
name: smoke
on:
  workflow_dispatch:
    inputs:
      model: {description: what to serve, default: org/wren-7b}
      extra: {default: ""}
      tag: {required: true}
env:
  TP: 2
  FRACTION: 0.90
  WHICH: ${{ env.TP }}-${{ matrix.backend }}
jobs:
  serve:
    runs-on: gpu
    container:
      image: lmsysorg/sglang:${{ vars.SGLANG_TAG || 'v0.5.18' }}
      env: {HOST: 0.0.0.0}
    strategy:
      matrix:
        backend: [triton]
        page: [1, 64]
    env:
      PORT: "30000"
      TP: "4"
    steps:
      - run: echo "SEED=7" >> $GITHUB_ENV
      - name: start
        env: {MODEL: "${{ inputs.model }}", LOG: "${{ secrets.LOG }}"}
        run: |
          python3 -m sglang.launch_server --model-path "$MODEL" --tp-size ${{ env.TP }} \\
            --mem-fraction-static=${{ env.FRACTION }} --port $PORT --host $HOST \\
            --attention-backend ${{ matrix.backend }} --page-size ${{ matrix.page }} \\
            --random-seed ${{ env.SEED }} --log-level ${LOG} \\
            --served-model-name ${{ github.event.inputs.model || 'other' }} ${{ inputs.extra }}
      - uses: actions/checkout@v4
"""

GITLAB = """\
default:
  image: {name: "lmsysorg/sglang:v0.5.18", entrypoint: [""]}
variables:
  MODEL: org/wren-7b
  TP: {value: "2", description: how many}
  NAME: "$ORG-$TP"
  ORG: wren
.base:
  variables: {PORT: "30000", PAGE: "1"}
serve:
  extends: .base
  variables: {PAGE: "64"}
  parallel:
    matrix: [{BACKEND: [triton, fa3]}]
  before_script:
    - export HOST=0.0.0.0
  script:
    - pip list
    - python3 -m sglang.launch_server --model-path $MODEL --tp-size "${TP}" --port $PORT --page-size $PAGE
      --host $HOST --attention-backend $BACKEND --served-model-name $NAME --log-level $CI_LOG &
    - |
      echo wait
      sglang serve --model-path "$MODEL" \\
        --tp-size $TP
"""

TEKTON = """\
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {generateName: serve-}
spec:
  params:
    - {name: model, value: org/wren-7b}
  pipelineSpec:
    params:
      - {name: model, default: org/other}
      - {name: page, default: "64"}
    tasks:
      - name: serve
        params:
          - {name: page, value: "$(params.page)"}
        taskSpec:
          params:
            - {name: page, default: "1"}
            - {name: sizes, type: object, default: {tp: "4"}}
            - name: extra
              type: array
              default:
                - --enable-metrics   # always
                - --log-level
                - debug
          stepTemplate:
            env: [{name: PORT, value: "30000"}]
          steps:
            - name: server
              image: lmsysorg/sglang:v0.5.18
              command: [python3, -m, sglang.launch_server]
              args:
                - --model-path=$(params.model)
                - --page-size
                - $(params["page"])
                - --tp-size=$(params.sizes.tp)
                - --port=$(PORT)
                - --random-seed=$(tasks.other.results.seed)
                - $(params.extra[*])
            - name: second
              image: lmsysorg/sglang:v0.5.18
              script: |
                #!/usr/bin/env bash
                sglang serve --model-path $(params.model) --log-level $(params.extra[2]) --port "$PORT" --pid $$
"""

PLAYBOOK = """\
- hosts: gpu
  vars:
    model: org/wren-7b
    tp: 2
    metrics: yes
    port: "{{ base_port }}"
    base_port: 30000
  tasks:
    - name: seed
      ansible.builtin.command: date
      register: seed
    - name: start
      vars: {tp: 4}
      ansible.builtin.shell: |
        python3 -m sglang.launch_server --model-path {{ model }} --tp-size {{ tp }} --port={{ port }} \\
          --page-size {{ page | default('64') }} --random-seed {{ seed.stdout }} --host {{ metrics }} \\
          --log-level {{ seed }}
"""
