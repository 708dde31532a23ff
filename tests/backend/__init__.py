"""What is TensorFlow, XLA and this processor."""
