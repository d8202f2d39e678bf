/** A manifest whose launch SGLang 0.5.18 refuses while it builds its pools. */
export const EXAMPLE = `\
apiVersion: v1
kind: Pod
metadata: { name: example }
spec:
  nodeSelector: { nvidia.com/gpu.product: NVIDIA-H200 }
  containers:
    - name: sglang
      image: lmsysorg/sglang:v0.5.18-cu129
      # sglint: draft=draft-dspark-qwen3
      command:
        - python3
        - -m
        - sglang.launch_server
        - --model-path=openai/gpt-oss-120b
        - --attention-backend=triton
        - --mem-fraction-static=0.88
        - --enable-unified-memory
        - --speculative-algorithm=DSPARK
        - --speculative-draft-model-path=acme/gpt-oss-120b-dspark
`;
