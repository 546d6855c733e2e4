print("doorward")
